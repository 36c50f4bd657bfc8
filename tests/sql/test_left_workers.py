"""Workers that left are counted once, before and after their rows are deleted."""

from datetime import timedelta
from uuid import UUID

from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import a_worker, expire_worker, renew, to_json
from tests.sql.conftest import Clock

WAYS = ("stopped", "drained", "done", "time_box", "lost")


async def stop(conn: Connection, worker: UUID, **info: object) -> None:
    await conn.execute("select holdfast.stop_worker($1, $2)", worker, to_json(info))


async def left(conn: Connection, arguments: str = "'100 days'") -> list[Record]:
    return await conn.fetch(f"select * from holdfast.left_workers({arguments})")


async def the_one(conn: Connection) -> Record:
    (row,) = await left(conn)
    return row


async def forget(conn: Connection, older_than: str = "1 day") -> int:
    return int(await conn.fetchval("select holdfast.forget_workers($1::text::interval)", older_than))


async def one_of_each(conn: Connection) -> None:
    """A worker of one group for each way to leave, and one that is still at work."""
    ids = [await a_worker(conn, group="gpu") for _ in range(6)]
    await conn.execute("select holdfast.drain_workers($1, null, 'update', 'Ada')", [ids[1]])
    await stop(conn, ids[0], processed=10, failed=1, released=2)
    await stop(conn, ids[1], processed=20, failed=2)
    await stop(conn, ids[2], processed=30, left_as="done")
    await stop(conn, ids[3], processed=40, left_as="time_box")
    await renew(conn, ids[4], processed=50, failed=5)
    await expire_worker(conn, ids[4])


async def test_each_way_to_leave_is_counted(conn: Connection) -> None:
    await one_of_each(conn)
    row = await the_one(conn)
    assert row["group"] == "gpu"
    assert (row["workers"], *(row[way] for way in WAYS)) == (5, 1, 1, 1, 1, 1)
    assert (row["processed"], row["failed"], row["released"]) == (150, 8, 2)


async def test_the_figures_are_the_same_after_their_rows_are_deleted(conn: Connection, clock: Clock) -> None:
    await one_of_each(conn)
    before = await the_one(conn)
    await clock.advance(timedelta(days=2))
    assert await forget(conn) == 6
    after = await left(conn)
    assert sum(row["workers"] for row in after) == 6  # the last one's lease has ended by now
    assert sum(row["processed"] for row in after) == before["processed"]
    assert sum(row["lost"] for row in after) == 2
    assert await forget(conn) == 0
    assert await left(conn) == after


async def test_counts_are_added_to_those_of_workers_that_were_forgotten_before(conn: Connection) -> None:
    for _ in range(3):
        await stop(conn, await a_worker(conn), processed=7)
        await conn.execute("update holdfast.workers set lease_until = stopped_at")
        assert await forget(conn, "-1 second") == 1
    row = await the_one(conn)
    assert (row["workers"], row["stopped"], row["processed"]) == (3, 3, 21)


async def test_a_worker_that_was_late_has_not_left(conn: Connection) -> None:
    worker = await a_worker(conn)
    await expire_worker(conn, worker)
    assert (await the_one(conn))["lost"] == 1
    await renew(conn, worker)
    assert await left(conn) == []
    await stop(conn, worker)
    row = await the_one(conn)
    assert (row["workers"], row["stopped"], row["lost"]) == (1, 1, 0)


async def test_a_worker_that_registers_again_has_not_left(conn: Connection) -> None:
    worker = await a_worker(conn)
    await stop(conn, worker, left_as="done")
    await a_worker(conn, worker=worker)
    assert await left(conn) == []
    await stop(conn, worker)
    row = await the_one(conn)
    assert (row["workers"], row["stopped"], row["done"]) == (1, 1, 0)


async def test_an_unknown_way_counts_as_stopped(conn: Connection) -> None:
    await stop(conn, await a_worker(conn), left_as="angry")
    assert (await the_one(conn))["stopped"] == 1


async def test_hours_and_groups_stand_apart(conn: Connection, clock: Clock) -> None:
    for group in ("cpu", "gpu"):
        await stop(conn, await a_worker(conn, group=group))
    await clock.advance(timedelta(hours=1))
    await stop(conn, await a_worker(conn, group="gpu"))
    assert [row["group"] for row in await left(conn)] == ["cpu", "gpu", "gpu"]
    assert [row["group"] for row in await left(conn, "'0 seconds'")] == ["gpu"]
    assert [row["group"] for row in await left(conn, "'1 day', 'cpu'")] == ["cpu"]


async def test_life_spans_are_within_a_bucket_of_the_truth(conn: Connection, clock: Clock) -> None:
    """Of twenty workers one lived for ten hours, the others for a minute."""
    workers = [await a_worker(conn, lease=timedelta(days=1)) for _ in range(20)]
    await conn.execute("update holdfast.workers set started_at = holdfast.now() - interval '1 minute'")
    await conn.execute(
        "update holdfast.workers set started_at = holdfast.now() - interval '10 hours' where id = any ($1)",
        workers[:2],
    )
    for worker in workers:
        await stop(conn, worker)
    row = await the_one(conn)
    assert timedelta(minutes=1) <= row["life_p50"] <= timedelta(minutes=1.3)
    assert timedelta(hours=10) <= row["life_p95"] <= timedelta(hours=13)


async def test_old_counts_are_deleted(conn: Connection, clock: Clock) -> None:
    await stop(conn, await a_worker(conn))
    await clock.advance(timedelta(days=2))
    await forget(conn)
    assert len(await left(conn)) == 1
    await clock.advance(timedelta(days=30))
    await forget(conn)
    assert await left(conn) == []
