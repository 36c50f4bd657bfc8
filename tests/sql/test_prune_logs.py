"""All logs together stay below their limit: the oldest go first, in batches."""

from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import cancelled_job, running_job
from tests.sql.conftest import Clock
from tests.sql.logs import messages, save, total

PRUNE = "select holdfast.prune_logs($1)"
LIMIT = "select holdfast.limit_logs($1, 'the disk is small', 'Ada')"


async def test_below_the_limit_nothing_goes(conn: Connection) -> None:
    job = await running_job(conn)
    await save(conn, job, "x")
    assert await conn.fetchval(PRUNE, 1000) == 0
    assert await messages(conn, job) == ["x"]
    assert await conn.fetchval("select removed_at from holdfast.log_storage_view") is None


async def test_the_oldest_go_until_the_rest_fits(conn: Connection, clock: Clock) -> None:
    job = await running_job(conn)
    for part in range(10):
        await save(conn, job, "x" * 968 + str(part).rjust(4, "0"), part=part)  # 1,008 bytes each
        await clock.advance(timedelta(minutes=1))
    await conn.execute(LIMIT, 3100)
    assert await conn.fetchval(PRUNE, 1000) == 7
    assert [text[-1] for text in await messages(conn, job)] == ["7", "8", "9"]
    assert await total(conn) == 3 * 1008
    room = await conn.fetchrow("select removed_at, removed_to from holdfast.log_storage_view")
    assert room is not None
    assert timedelta(minutes=4) <= room["removed_at"] - room["removed_to"] < timedelta(minutes=5)
    assert await conn.fetchval(PRUNE, 1000) == 0


async def test_a_round_deletes_a_batch_and_counts_it(conn: Connection) -> None:
    job = await running_job(conn)
    for part in range(5):
        await save(conn, job, "x", part=part)
    await conn.execute(LIMIT, 0)
    assert [await conn.fetchval(PRUNE, 2) for _ in range(4)] == [2, 2, 1, 0]
    assert await total(conn) == 0


async def test_the_changes_of_the_size_are_folded(conn: Connection) -> None:
    job = await running_job(conn)
    for part in range(5):
        await save(conn, job, "x", part=part)
    await conn.fetchval(PRUNE, 1000)
    assert await conn.fetchval("select count(*) from holdfast.log_size_changes") == 1
    await total(conn)


async def test_logs_go_with_their_job_and_no_longer_count(conn: Connection, clock: Clock) -> None:
    job = await running_job(conn)
    await save(conn, job, "x")
    await conn.execute(
        "select holdfast.cancel_claimed(array[$1::uuid], array[$2::uuid], '{null}')", job.id, job.token
    )
    await cancelled_job(conn)
    await clock.advance(timedelta(days=31))
    await conn.fetch("select * from holdfast.prune_jobs()")
    assert await messages(conn, job) == []
    assert await total(conn) == 0
