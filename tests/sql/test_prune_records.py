"""Runs and operator actions are kept long, but not for ever."""

from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import (
    a_queue,
    a_sealed_run,
    a_worker,
    an_open_run,
    cancel,
    claim,
    complete,
    fail,
    ready_job,
)
from tests.sql.conftest import Clock


async def prune(conn: Connection) -> tuple[int, int]:
    await conn.execute("select holdfast.prune_jobs()")
    row = await conn.fetchrow("select * from holdfast.prune_records()")
    assert row is not None
    return row["runs"], row["events"]


async def an_ended_run(conn: Connection) -> None:
    await a_sealed_run(conn, 1)
    (job,) = await claim(conn, await a_worker(conn))
    await complete(conn, job)
    assert await conn.fetchval("select holdfast.close_runs()") == 1


async def test_a_run_goes_when_no_queue_would_keep_its_jobs_any_longer(
    conn: Connection, clock: Clock
) -> None:
    await a_queue(conn, "long", retention="40 days")
    await an_ended_run(conn)
    await clock.advance(timedelta(days=35))
    assert await prune(conn) == (0, 0)
    await clock.advance(timedelta(days=10))
    assert await prune(conn) == (1, 0)


async def test_a_run_with_a_job_left_or_without_an_end_stays(conn: Connection, clock: Clock) -> None:
    await an_open_run(conn)
    await a_sealed_run(conn, 1)
    (job,) = await claim(conn, await a_worker(conn))
    await fail(conn, job, "permanent")
    assert await conn.fetchval("select holdfast.close_runs()") == 1
    await clock.advance(timedelta(days=100))
    assert await prune(conn) == (0, 0), "the dead letter is open"


async def test_what_people_did_stays_for_a_year(conn: Connection, clock: Clock) -> None:
    await cancel(conn, await ready_job(conn))
    await conn.execute("select holdfast.pause_queue('default', 'lunch', 'Ada')")
    sealed = await conn.fetchval("select count(*) from holdfast.audit_view")
    await clock.advance(timedelta(days=360))
    await conn.execute("select holdfast.seal_events()")
    assert await prune(conn) == (0, 0)
    await clock.advance(timedelta(days=10))
    assert await prune(conn) == (0, sealed)
    assert await prune(conn) == (0, 0)


async def test_a_day_that_is_not_sealed_stays(conn: Connection, clock: Clock) -> None:
    await conn.execute("select holdfast.pause_all_queues('lunch', 'Ada')")
    await clock.advance(timedelta(days=400))
    assert await prune(conn) == (0, 0)
    await conn.execute("select holdfast.seal_events()")
    assert await prune(conn) == (0, 1)


async def test_the_seal_of_a_pruned_day_stays_and_an_event_records_it(conn: Connection, clock: Clock) -> None:
    for _ in range(3):
        await conn.execute("select holdfast.pause_all_queues('lunch', 'Ada')")
    await clock.advance(timedelta(days=400))
    await conn.execute("select holdfast.seal_events()")
    step = "select events from holdfast.prune_records(2)"
    assert [await conn.fetchval(step) for _ in range(3)] == [2, 1, 0]
    status = await conn.fetch("select status from holdfast.verify_events() order by day limit 2")
    assert [row["status"] for row in status] == ["pruned", "intact"]
    recorded = await conn.fetch("select cause from holdfast.audit_view")
    assert [row["cause"] for row in recorded] == ["prune_events"]
