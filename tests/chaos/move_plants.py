"""A wrong row or effect for each complaint about jobs that were moved to another queue."""

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

from holdfast.db.connect import Connection
from tests.builders import completed_job, ready_job

Plant = Callable[[Connection], Awaitable[Any]]


async def ended_elsewhere(conn: Connection) -> None:
    await completed_job(conn, task="moved", queue="chaos-moves-b", payload={"queue": "chaos-moves-a"})


async def moved_without_an_event(conn: Connection) -> None:
    for queue in ("chaos-moves-a", "chaos-moves-b"):
        await ready_job(conn, task="moved", queue=queue, payload={"queue": queue})
    await conn.execute("select holdfast.move_jobs('chaos-moves-a', 'chaos-moves-b', 1, 'chaos')")
    await conn.execute("delete from holdfast.events where cause = 'move'")


async def moved_and_done_twice(conn: Connection) -> None:
    queue = "chaos-moves-a"
    job = await completed_job(conn, task="moved", queue=queue, payload={"queue": queue})
    for token in (job.token, uuid4()):
        await conn.execute("insert into public.chaos_moves values ($1, $2)", job.id, token)


MOVE_PLANTS: list[tuple[str, Plant, str]] = [
    ("moves", ended_elsewhere, "ended in chaos-moves-b, and was last in chaos-moves-a"),
    ("moves", moved_without_an_event, "0 moves of jobs are recorded, and 1 were counted"),
    ("moves", moved_and_done_twice, "completed with 2 effects, 1 of them by the attempt that won"),
]
