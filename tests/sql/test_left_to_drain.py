"""What a worker waits for before it leaves because its work is done."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from holdfast.db.connect import Connection
from tests.builders import a_worker, ready_job, ready_jobs, running_job, scheduled_job, waiting_job

LEFT = "select task, state, jobs from holdfast.left_to_drain($1, $2)"


async def left(conn: Connection, worker: UUID, within: float = 1) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in await conn.fetch(LEFT, worker, timedelta(seconds=within))]


async def test_jobs_of_its_tasks_that_are_ready_soon_due_or_running_are_counted(conn: Connection) -> None:
    worker = await a_worker(conn, ["q"], tasks=["a", "b"])
    await running_job(conn, queue="q", task="a")
    await ready_jobs(conn, 3, queue="q", task="b")
    await scheduled_job(conn, timedelta(milliseconds=500), queue="q", task="a")
    await waiting_job(conn, queue="q", task="a")  # its head is ready
    assert await left(conn, worker) == [
        ("a", "ready", 1),
        ("a", "running", 1),
        ("a", "scheduled", 1),
        ("b", "ready", 3),
    ]


async def test_what_is_due_later_is_left_out(conn: Connection) -> None:
    worker = await a_worker(conn, ["q"], tasks=["a"])
    await scheduled_job(conn, timedelta(minutes=1), queue="q", task="a")
    assert await left(conn, worker) == []
    assert await left(conn, worker, 90) == [("a", "scheduled", 1)]


async def test_what_it_cannot_run_is_left_out(conn: Connection) -> None:
    worker = await a_worker(conn, ["q", "paused"], tasks=["a"])
    await ready_jobs(conn, 20, queue="q", task="unknown")
    await running_job(conn, queue="r", task="a")
    await ready_job(conn, queue="q", task="a", group="gpu")
    await ready_job(conn, queue="paused", task="a")
    await conn.execute("select holdfast.pause_queue('paused', 'why')")
    assert await left(conn, worker) == []


async def test_what_stands_behind_many_that_it_cannot_run_is_found(conn: Connection) -> None:
    worker = await a_worker(conn, ["q"], tasks=["a"])
    await ready_jobs(conn, 1500, queue="q", task="unknown")
    await ready_job(conn, queue="q", task="a")
    assert await left(conn, worker) == [("a", "ready", 1)]
