"""Why a job is not running; no answer means that a worker may claim it now."""

from datetime import timedelta
from uuid import UUID, uuid4

from holdfast.db.connect import Connection
from tests.builders import (
    a_worker,
    claim,
    completed_job,
    dead_job,
    expire_worker,
    fail,
    ready_job,
    running_job,
    scheduled_job,
    waiting_job,
)
from tests.sql.conftest import Clock


async def blockers(conn: Connection, job: UUID) -> list[str]:
    return [row["blocker"] for row in await conn.fetch("select * from holdfast.explain($1)", job)]


async def test_a_job_that_can_be_claimed_has_no_blocker_and_is_claimed(conn: Connection) -> None:
    job = await ready_job(conn)
    worker = await a_worker(conn)
    assert await blockers(conn, job) == []
    assert [one.id for one in await claim(conn, worker)] == [job]


async def test_every_reason_why_a_claim_would_pass_it_over_is_named(conn: Connection) -> None:
    job = await ready_job(conn, queue="q")
    assert await blockers(conn, job) == ["no_worker"]
    worker = await a_worker(conn, ["q"])
    await expire_worker(conn, worker)
    assert await blockers(conn, job) == ["no_worker"]
    await a_worker(conn, ["q"])
    await conn.execute("select holdfast.pause_queue('q', 'too hot')")
    assert await blockers(conn, job) == ["paused"]
    grouped = await ready_job(conn, queue="r", group="gpu")
    await a_worker(conn, ["r"])
    assert await blockers(conn, grouped) == ["no_worker_in_group"]


async def test_a_job_that_is_not_due_tells_when(conn: Connection) -> None:
    worker = await a_worker(conn)
    job = await scheduled_job(conn)
    (row,) = await conn.fetch("select * from holdfast.explain($1)", job)
    due = await conn.fetchval("select due_at from holdfast.jobs where id = $1", job)
    assert (row["blocker"], row["until"]) == ("scheduled", due)
    failed = await running_job(conn, worker)
    await fail(conn, failed)
    (row,) = await conn.fetch("select * from holdfast.explain($1)", failed.id)
    assert "next try" in row["detail"]


async def test_a_job_in_a_line_names_the_head(conn: Connection) -> None:
    await a_worker(conn)
    job = await waiting_job(conn, "k")
    (row,) = await conn.fetch("select * from holdfast.explain($1)", job)
    head = await conn.fetchval("select head from holdfast.order_keys")
    assert row["blocker"] == "order"
    assert str(head) in row["detail"]


async def test_running_ended_and_unknown_jobs_say_so(conn: Connection, clock: Clock) -> None:
    running = await running_job(conn)
    assert await blockers(conn, running.id) == ["running"]
    assert await blockers(conn, (await completed_job(conn, queue="q")).id) == ["ended"]
    (row,) = await conn.fetch("select * from holdfast.explain($1)", (await dead_job(conn, queue="r")).id)
    assert "dead" in row["detail"]
    assert "permanent" in row["detail"]
    assert await blockers(conn, uuid4()) == []
    late = await ready_job(conn, deadline=await clock.now() + timedelta(seconds=5))
    await clock.advance(timedelta(seconds=10))
    assert await blockers(conn, late) == ["deadline_passed"]
