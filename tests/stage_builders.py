"""Pipelines, jobs in them, and jobs that wait, made by the real verbs; see `builders.py`."""

from typing import Any
from uuid import UUID

from holdfast.db.connect import Connection
from tests.builders import Running, a_worker, claim_one, ready_job, running_job, settle, to_json


async def a_pipeline(conn: Connection, name: str = "line", stages: Any = ("a", "b", "c")) -> int:
    """Its version; a stage is a name, whose task is the same, or a dict."""
    listed = [{"name": one, "task": one} if isinstance(one, str) else one for one in stages]
    version: int = await conn.fetchval(
        "select holdfast.declare_pipeline($1, $2)", name, to_json({"stages": listed})
    )
    return version


async def a_stage_worker(conn: Connection, name: str = "line") -> UUID:
    """A worker of all queues of a pipeline."""
    rows = await conn.fetch("select distinct queue from holdfast.stage_view where pipeline = $1", name)
    return await a_worker(conn, [row["queue"] for row in rows])


async def entered_job(conn: Connection, name: str = "line", **options: Any) -> UUID:
    """A job at the first stage of a pipeline."""
    return await ready_job(conn, pipeline=name, **options)


async def walked_job(conn: Connection, *stages: str, name: str = "line") -> Running:
    """A job that went from the first stage to these; it is running at the last."""
    worker = await a_stage_worker(conn, name)
    await entered_job(conn, name)
    for stage in stages:
        assert await settle(conn, await claim_one(conn, worker), "advance", {"stage": stage})
    return await claim_one(conn, worker)


async def signal(conn: Connection, job: UUID, name: str = "approval", data: Any = None) -> str:
    result: str = await conn.fetchval("select holdfast.signal($1, $2, $3, 'Ada')", job, name, to_json(data))
    return result


async def job_that_waits(conn: Connection, name: str = "approval", **detail: Any) -> Running:
    """For a signal, by the worker's own verb."""
    job = await running_job(conn)
    assert await settle(conn, job, "wait", {"for": f"signal:{name}", **detail})
    return job
