"""Jobs, workers and runs in a wanted state, made by the real verbs; each builder is named by that state.

Options are those of `holdfast.enqueue_jobs`, with `task` and `payload` beside them; durations may be
timedeltas. A builder that claims needs its queue to hold no other ready job: give jobs queues of their own
where that matters.
"""

import asyncio
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import asyncpg
from asyncpg import Record

from holdfast.db.connect import Connection

Details = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Running:
    """A job that a worker runs."""

    id: UUID
    token: UUID
    worker: UUID
    attempt: int


# --- jobs, by state


async def ready_job(conn: Connection, **options: Any) -> UUID:
    return (await ready_jobs(conn, 1, **options))[0]


async def ready_jobs(conn: Connection, count: int, **options: Any) -> list[UUID]:
    """As many equal jobs, in one call."""
    task = options.pop("task", "task")
    payload = options.pop("payload", {})
    made = await conn.fetch(
        "select job_id from holdfast.enqueue_jobs($1::text[], $2::json[], $3::jsonb)",
        [task],
        [to_json(payload)] * count,
        to_json(options),
    )
    return [row["job_id"] for row in made]


async def scheduled_job(conn: Connection, delay: timedelta = timedelta(hours=1), **options: Any) -> UUID:
    return await ready_job(conn, delay=delay, **options)


async def waiting_job(conn: Connection, order_key: str | None = None, **options: Any) -> UUID:
    """A job behind the head of an order key's line; the head is made too unless the line exists."""
    key = order_key or uuid4().hex
    if not await conn.fetchval("select exists (select from holdfast.order_keys where key = $1)", key):
        await ready_job(conn, order_key=key, **options)
    return await ready_job(conn, order_key=key, **options)


async def running_job(
    conn: Connection, worker: UUID | None = None, attempt: int = 1, **options: Any
) -> Running:
    """A claimed job; earlier attempts were released, so they cost nothing."""
    worker = worker or await a_worker(conn, queues=[options.get("queue", "default")])
    await ready_job(conn, **options)
    job = await claim_one(conn, worker)
    while job.attempt < attempt:
        await release(conn, job)
        job = await claim_one(conn, worker)
    return job


async def completed_job(conn: Connection, output: Any = None, **options: Any) -> Running:
    job = await running_job(conn, **options)
    assert await complete(conn, job, output)
    return job


async def rejected_job(conn: Connection, reason: str = "not for us", **options: Any) -> Running:
    job = await running_job(conn, **options)
    assert await settle(conn, job, "reject", {"reason": reason})
    return job


async def cancelled_job(conn: Connection, **options: Any) -> UUID:
    job = await ready_job(conn, **options)
    assert await cancel(conn, job) == "cancelled"
    return job


async def dead_job(conn: Connection, message: str = "it broke", **options: Any) -> Running:
    job = await running_job(conn, **options)
    assert await fail(conn, job, error_class="permanent", message=message)
    return job


# --- workers


async def a_worker(
    conn: Connection,
    queues: list[str] | None = None,
    lease: timedelta = timedelta(seconds=30),
    worker: UUID | None = None,
    **info: Any,
) -> UUID:
    worker = worker or uuid4()
    await conn.execute(
        "select holdfast.register_worker($1, $2, $3)",
        worker,
        queues or ["default"],
        to_json({"lease": lease, "host": "here", "pid": 1, "slots": 10, **info}),
    )
    return worker


async def expire_worker(conn: Connection, worker: UUID) -> None:
    """Its lease has ended without a renewal."""
    await conn.execute(
        "update holdfast.workers set lease_until = holdfast.now() - interval '1 second' where id = $1", worker
    )


async def renew(conn: Connection, worker: UUID, **info: Any) -> Record:
    row = await conn.fetchrow("select * from holdfast.renew_lease($1, $2)", worker, to_json(info))
    assert row is not None
    return row


async def rescue(conn: Connection) -> Record:
    row = await conn.fetchrow("select * from holdfast.rescue_jobs()")
    assert row is not None
    return row


# --- queues and runs


async def a_queue(conn: Connection, name: str = "default", **policy: Any) -> str:
    await conn.execute("select holdfast.declare_queue($1, $2)", name, to_json(policy))
    return name


async def an_open_run(conn: Connection, name: str = "a run", **options: Any) -> UUID:
    run: UUID = await conn.fetchval("select holdfast.start_run($1, $2)", name, to_json(options))
    return run


async def a_sealed_run(conn: Connection, jobs: int = 1, **options: Any) -> tuple[UUID, list[UUID]]:
    run = await an_open_run(conn, **options)
    ids = await ready_jobs(conn, jobs, run=run)
    await conn.execute("select holdfast.seal_run($1)", run)
    return run, ids


# --- what a worker or an operator does; true if it had an effect


async def claim(conn: Connection, worker: UUID, n: int = 1) -> list[Running]:
    rows = await conn.fetch("select job_id, token, attempt from holdfast.claim_jobs($1, $2)", worker, n)
    return [Running(row["job_id"], row["token"], worker, row["attempt"]) for row in rows]


async def claim_one(conn: Connection, worker: UUID) -> Running:
    (job,) = await claim(conn, worker)
    return job


async def settle(
    conn: Connection, job: Running, verb: str, detail: Details | None = None, output: Any = None
) -> bool:
    rows = await conn.fetch(
        "select kind from holdfast.settle_and_claim($1, 0, $2, $3, $4, $5, $6)",
        job.worker,
        [job.id],
        [job.token],
        [verb],
        [None if output is None else to_json(output)],
        [None if detail is None else to_json(detail)],
    )
    return [row["kind"] for row in rows] != ["lost"]


async def complete(conn: Connection, job: Running, output: Any = None) -> bool:
    return await settle(conn, job, "complete", None, output)


async def fail(conn: Connection, job: Running, error_class: str = "transient", **detail: Any) -> bool:
    error = {"class": error_class, "type": "ValueError", "message": "it broke", **detail}
    return await settle(conn, job, "fail", error)


async def snooze(conn: Connection, job: Running, delay: timedelta) -> bool:
    return await settle(conn, job, "snooze", {"delay": delay})


async def release(conn: Connection, job: Running) -> bool:
    return await settle(conn, job, "release")


async def report(conn: Connection, job: Running, **progress: Any) -> str:
    """Of its progress; returns what became of the report."""
    result = await conn.fetchval(
        "select result from holdfast.report_progress($1, $2, $3::jsonb[])",
        [job.id],
        [job.token],
        [to_json(progress)],
    )
    return result or "stored"


async def cancel(conn: Connection, job: UUID, reason: str = "not needed", actor: str = "Ada") -> str:
    result: str = await conn.fetchval(
        "select result from holdfast.cancel_jobs($1, $2, $3)", [job], reason, actor
    )
    return result


async def replay(conn: Connection, job: UUID, reason: str = "again", actor: str = "Ada") -> str:
    result: str = await conn.fetchval(
        "select result from holdfast.replay_jobs($1, $2, $3)", [job], reason, actor
    )
    return result


# --- what there is


async def state_of(conn: Connection, job: UUID) -> str | None:
    """None for a job that does not exist."""
    rows = await conn.fetch("select state from holdfast.job_view where id = $1", job)
    assert len(rows) <= 1, f"{job} is both live and ended, or ended twice"
    return rows[0]["state"] if rows else None


async def the_job(conn: Connection, job: UUID) -> Record:
    """Its row of job_view."""
    (row,) = await conn.fetch("select * from holdfast.job_view where id = $1", job)
    return row


async def the_run(conn: Connection, run: UUID) -> Record:
    (row,) = await conn.fetch("select * from holdfast.run_view where id = $1", run)
    return row


async def attempts_of(conn: Connection, job: UUID) -> list[Record]:
    return await conn.fetch("select * from holdfast.attempts where job_id = $1 order by attempt", job)


async def letter_of(conn: Connection, job: UUID) -> Record | None:
    return await conn.fetchrow("select * from holdfast.dead_letters where job_id = $1", job)


async def refusal(conn: Connection, statement: str, *args: Any) -> asyncpg.PostgresError:
    """The error that a statement raises; what went before it stays."""
    try:
        async with conn.transaction():
            await conn.execute(statement, *args)
    except asyncpg.PostgresError as exc:
        return exc
    raise AssertionError(f"not refused: {statement} with {args}")


async def is_waiting(database_url: str, conn: Connection, task: "asyncio.Task[Any]") -> None:
    """Returns when `task`, which uses `conn`, waits for a lock of another connection."""
    watcher = await asyncpg.connect(database_url)
    waits = "select exists (select from pg_stat_activity where wait_event_type = 'Lock' and pid = $1)"
    while not await watcher.fetchval(waits, conn.get_server_pid()):
        assert not task.done(), "it did not wait"
        await asyncio.sleep(0.01)
    await watcher.close()


def to_json(value: Any) -> str:
    """JSON as the verbs take it: durations as seconds, times and ids as text."""
    return json.dumps(value, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(f"{value!r} has no JSON form")
