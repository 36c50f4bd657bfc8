"""One running job with everything that an end must set right, and all that can be seen of it afterwards."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from holdfast.db.connect import Connection
from tests.builders import (
    Running,
    a_worker,
    an_open_run,
    cancel,
    claim_one,
    complete,
    expire_worker,
    fail,
    ready_job,
    release,
    renew,
    rescue,
)


@dataclass(frozen=True, slots=True)
class Scene:
    """A job of a sealed run, head of an order key with one behind it, with a unique key, of a lost worker."""

    job: Running
    successor: UUID
    run: UUID
    key: str


async def a_scene(conn: Connection) -> Scene:
    key = uuid4().hex
    queue = f"queue {key}"
    run = await an_open_run(conn, on_complete={"task": "after", "queue": f"after {key}"})
    worker = await a_worker(conn, queues=[queue])
    options = {"queue": queue, "order_key": key, "run": run, "retry": [60, 60]}
    await ready_job(conn, unique_key=key, **options)
    successor = await ready_job(conn, **options)
    await conn.execute("select holdfast.seal_run($1)", run)
    job = await claim_one(conn, worker)
    await expire_worker(conn, worker)
    return Scene(job, successor, run, key)


async def act(conn: Connection, scene: Scene, verb: str) -> str:
    """What the verb said it did, in a word."""
    match verb:
        case "complete":
            return "done" if await complete(conn, scene.job) else "lost"
        case "fail":
            return "done" if await fail(conn, scene.job) else "lost"
        case "release":
            return "done" if await release(conn, scene.job) else "lost"
        case "cancel":
            return await cancel(conn, scene.job.id)
        case "renew":
            return "rescued" if (await renew(conn, scene.job.worker))["rescued"] else "renewed"
        case "rescue":
            return "took" if any((await rescue(conn)).values()) else "nothing"
        case _:
            raise ValueError(verb)


async def seen(conn: Connection, scene: Scene) -> dict[str, Any]:
    """After the maintenance tasks have come by: the whole world of the scene."""
    await conn.execute("select holdfast.advance_order_keys()")
    await conn.execute("select holdfast.close_runs()")
    return {
        "job": await _rows(conn, JOB, scene.job.id),
        "successor": await _rows(conn, JOB, scene.successor),
        "attempts": await _rows(conn, ATTEMPTS, scene.job.id),
        "dead letters": await _rows(conn, LETTERS, scene.job.id),
        "unique keys": await _rows(conn, KEYS, scene.key),
        "head": [head[0] == scene.job.id for head in await _rows(conn, HEAD, scene.key)],
        "run": await _rows(conn, RUN, scene.run),
        "after": await _rows(conn, AFTER, f"after {scene.key}"),
    }


JOB = """
select state, attempt, failures, losses, deferrals, generation, cancel_asked_at is not null
from holdfast.job_view
where id = $1
"""
ATTEMPTS = "select attempt, outcome, counted from holdfast.attempts where job_id = $1 order by attempt"
LETTERS = "select generation, reason from holdfast.dead_letters where job_id = $1"
KEYS = "select count(*) from holdfast.unique_keys where key = $1"
HEAD = "select head from holdfast.order_keys where key = $1"
RUN = "select state, total, completed, rejected, cancelled, dead from holdfast.run_view where id = $1"
AFTER = "select count(*) from holdfast.job_view where queue = $1"


async def _rows(conn: Connection, query: str, subject: UUID | str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in await conn.fetch(query, subject)]
