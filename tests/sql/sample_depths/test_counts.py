"""Each state of each queue is counted exactly, and the oldest ready job is found."""

from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import a_queue, a_worker, claim, ready_job, ready_jobs, refusal
from tests.sql.conftest import Clock
from tests.sql.depths import counts, sample, samples, some_jobs


async def test_each_state_of_each_queue_is_counted(conn: Connection) -> None:
    wanted = await some_jobs(conn)
    assert await sample(conn) == 2
    assert await counts(conn) == wanted


async def test_a_queue_is_counted_once_a_minute(conn: Connection, clock: Clock) -> None:
    await ready_job(conn)
    assert await sample(conn) == 1
    assert await sample(conn) == 0
    await clock.advance(timedelta(minutes=1))
    assert await sample(conn) == 1
    assert len(await samples(conn)) == 2


async def test_what_one_call_counted_was_counted_at_one_moment(conn: Connection) -> None:
    await some_jobs(conn)
    await sample(conn)
    assert len({(row["began_at"], row["sampled_at"]) for row in await samples(conn)}) == 1
    assert all(row["began_at"] == row["sampled_at"] for row in await samples(conn))


async def test_a_queue_that_stays_empty_is_stored_once(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn)
    await ready_job(conn)
    await sample(conn)
    (job,) = await claim(conn, worker)
    await conn.execute("select holdfast.complete_jobs($1, $2, '{null}')", [job.id], [job.token])
    for _ in range(3):
        await clock.advance(timedelta(minutes=1))
        await sample(conn)
    assert [row["ready"] for row in await samples(conn)] == [1, 0]
    await ready_job(conn)
    await clock.advance(timedelta(minutes=1))
    await sample(conn)
    assert [row["ready"] for row in await samples(conn)] == [1, 0, 1]


async def test_the_oldest_ready_job_of_all_lanes_and_priorities_is_found(
    conn: Connection, clock: Clock
) -> None:
    await ready_job(conn, priority=10, group="gpu")
    oldest = await clock.now()
    await clock.advance(timedelta(hours=1))
    await ready_jobs(conn, 3, priority=90)
    await sample(conn)
    (row,) = await samples(conn)
    assert abs(row["oldest_ready"] - oldest) < timedelta(minutes=1)


async def test_with_ageing_the_oldest_is_the_one_that_is_ready_longest(
    conn: Connection, clock: Clock
) -> None:
    """Its rank is later than that of a younger job with a higher priority."""
    await a_queue(conn, ageing=1)
    await ready_job(conn, priority=0)
    oldest = await clock.now()
    await clock.advance(timedelta(minutes=10))
    await ready_jobs(conn, 3, priority=90)
    await sample(conn, chunk=2)
    (row,) = await samples(conn)
    assert row["ready"] == 4
    assert abs(row["oldest_ready"] - oldest) < timedelta(minutes=1)


async def test_a_limit_out_of_range_is_refused(conn: Connection) -> None:
    for arguments in ("'2 minutes'", "'-1 second'", "'1 second', 0", "null"):
        assert (await refusal(conn, f"select holdfast.sample_depths({arguments})")).sqlstate == "HF002"
