"""What ended is counted minute by minute, once, with its waits and runs."""

from datetime import timedelta

from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import (
    a_worker,
    cancelled_job,
    claim_one,
    complete,
    completed_job,
    dead_job,
    fail,
    ready_job,
    running_job,
)
from tests.sql.conftest import Clock


async def summarise(conn: Connection) -> int:
    written: int = await conn.fetchval("select holdfast.summarise_ends()")
    return written


async def stats(conn: Connection, by: str = "queue") -> dict[str, Record]:
    rows = await conn.fetch("select * from holdfast.end_stats('1 hour', $1)", by)
    return {row["name"]: row for row in rows}


async def test_every_end_is_counted_once(conn: Connection, clock: Clock) -> None:
    for _ in range(3):
        await completed_job(conn, queue="a", task="x")
    await dead_job(conn, queue="a", task="y")
    await cancelled_job(conn, queue="b", task="x")
    retried = await running_job(conn, queue="b", retry=[0], task="x")
    await fail(conn, retried)
    await complete(conn, await claim_one(conn, retried.worker))
    await clock.advance(timedelta(minutes=2))
    assert await summarise(conn) > 0
    assert await summarise(conn) == 0
    by_queue = await stats(conn)
    assert [by_queue["a"][name] for name in ("jobs", "completed", "dead", "cancelled")] == [4, 3, 1, 0]
    assert [by_queue["b"][name] for name in ("jobs", "cancelled", "retried", "retried_completed")] == [
        2,
        1,
        1,
        1,
    ]
    assert {name: row["jobs"] for name, row in (await stats(conn, "task")).items()} == {"x": 5, "y": 1}


async def test_a_minute_under_way_is_counted_anew_every_few_seconds(conn: Connection, clock: Clock) -> None:
    counted = "select coalesce(sum(jobs), 0) from holdfast.end_counts where what = 'end'"
    await completed_job(conn)
    await summarise(conn)
    assert await conn.fetchval(counted) == 1
    await completed_job(conn)
    assert await summarise(conn) == 0
    assert await conn.fetchval(counted) == 1
    await clock.advance(timedelta(minutes=2))
    await summarise(conn)
    assert await conn.fetchval(counted) == 2


async def test_percentiles_tell_waits_and_runs_within_a_quarter(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn, lease=timedelta(hours=1))
    await ready_job(conn)
    await clock.advance(timedelta(seconds=20))
    job = await claim_one(conn, worker)
    await clock.advance(timedelta(seconds=100))
    await complete(conn, job)
    await clock.advance(timedelta(minutes=2))
    await summarise(conn)
    row = (await stats(conn))["default"]
    assert 20 <= row["wait_p50"].total_seconds() < 26
    assert 100 <= row["run_p99"].total_seconds() < 130


async def test_a_job_that_never_started_has_neither_wait_nor_run(conn: Connection, clock: Clock) -> None:
    await cancelled_job(conn)
    await clock.advance(timedelta(minutes=2))
    await summarise(conn)
    row = (await stats(conn))["default"]
    assert (row["jobs"], row["wait_p50"], row["run_p50"]) == (1, None, None)
