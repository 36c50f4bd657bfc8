"""Where a job may go: the stages of its own version that it has not entered too often."""

import json
from uuid import UUID, uuid4

from holdfast.db.connect import Connection
from tests.builders import a_worker, claim_one, ready_job, settle

STAGES = [
    {"name": "triage", "task": "triage", "queue": "posts", "max_visits": 2},
    {"name": "research", "task": "research", "queue": "posts"},
]


async def declare(conn: Connection, *stages: object) -> None:
    definition = json.dumps({"stages": stages})
    await conn.execute("select holdfast.declare_pipeline('posts', $1::jsonb)", definition)


async def open_stages(conn: Connection, job: UUID) -> list[str]:
    rows = await conn.fetch("select stage from holdfast.open_stages($1) as s (stage)", job)
    return [row["stage"] for row in rows]


async def test_all_stages_are_open_in_order_at_first(conn: Connection) -> None:
    await declare(conn, *STAGES)
    job = await ready_job(conn, pipeline="posts")
    assert await open_stages(conn, job) == ["triage", "research"]


async def test_a_stage_that_was_entered_as_often_as_it_may_be_is_not(conn: Connection) -> None:
    await declare(conn, *STAGES)
    await ready_job(conn, pipeline="posts")
    worker = await a_worker(conn, queues=["posts"])
    job = await claim_one(conn, worker)
    await settle(conn, job, "advance", {"stage": "triage"})
    assert await open_stages(conn, job.id) == ["research"]
    job = await claim_one(conn, worker)
    await settle(conn, job, "advance", {"stage": "research"})
    assert await open_stages(conn, job.id) == ["research"]


async def test_a_job_keeps_to_its_version(conn: Connection) -> None:
    await declare(conn, *STAGES)
    job = await ready_job(conn, pipeline="posts")
    await declare(conn, STAGES[0])
    assert await open_stages(conn, job) == ["triage", "research"]


async def test_other_jobs_have_no_stages(conn: Connection) -> None:
    assert await open_stages(conn, await ready_job(conn)) == []
    assert await open_stages(conn, uuid4()) == []
