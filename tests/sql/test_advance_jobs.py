"""running -> ready: a job goes to its next stage and keeps what the last one left."""

import json
from datetime import timedelta
from uuid import uuid4

from holdfast.db.connect import Connection
from tests.builders import (
    a_queue,
    a_worker,
    cancel,
    claim_one,
    complete,
    fail,
    running_job,
    settle,
    state_of,
    the_job,
)


async def test_the_next_stage_has_its_own_task_queue_and_lane(conn: Connection) -> None:
    await a_queue(conn, "two", endpoint="model")
    job = await running_job(conn, stage="one", task="triage", payload={"a": 1}, labels={"l": 1})
    detail = {"stage": "second", "task": "research", "queue": "two", "group": "gpu", "priority": 90}
    assert await settle(conn, job, "advance", detail, output={"kept": True})
    row = await the_job(conn, job.id)
    assert (row["state"], row["stage"], row["task"], row["queue"]) == ("ready", "second", "research", "two")
    assert (row["endpoint"], row["group"], row["priority"]) == ("model", "gpu", 90)
    assert (json.loads(row["payload"]), row["worker"]) == ({"a": 1}, None)
    (kept,) = await conn.fetch("select * from holdfast.stage_outputs")
    assert (kept["job_id"], kept["stage"], kept["visit"], kept["attempt"]) == (job.id, "one", 1, 1)
    assert json.loads(kept["output"]) == {"kept": True}
    again = await claim_one(conn, await a_worker(conn, ["two"], group="gpu"))
    assert (again.id, again.attempt) == (job.id, 2)


async def test_what_is_not_named_stays_as_it_is(conn: Connection) -> None:
    job = await running_job(conn, task="t", queue="q", priority=7)
    await settle(conn, job, "advance", {"stage": "two"})
    row = await the_job(conn, job.id)
    assert (row["task"], row["queue"], row["priority"]) == ("t", "q", 7)


async def test_a_stage_starts_with_fresh_counters(conn: Connection) -> None:
    job = await running_job(conn, retry=[0, 0])
    await fail(conn, job)
    await fail(conn, await claim_one(conn, job.worker))
    again = await claim_one(conn, job.worker)
    await settle(conn, again, "advance", {"stage": "two"})
    row = await the_job(conn, job.id)
    assert (row["failures"], row["losses"], row["deferrals"], row["attempt"]) == (0, 0, 0, 3)
    assert await fail(conn, await claim_one(conn, job.worker))
    assert await state_of(conn, job.id) == "ready"


async def test_a_loop_back_is_a_new_visit(conn: Connection) -> None:
    worker = await a_worker(conn)
    job = await running_job(conn, worker, stage="a")
    for stage in ["b", "a", "b"]:
        await settle(conn, job, "advance", {"stage": stage}, output=stage)
        job = await claim_one(conn, worker)
    await complete(conn, job, "done")
    rows = await conn.fetch("select visit, stage from holdfast.stage_outputs order by visit")
    assert [(row["visit"], row["stage"]) for row in rows] == [(1, "a"), (2, "b"), (3, "a")]


async def test_what_a_stage_saved_is_not_the_next_ones(conn: Connection) -> None:
    job = await running_job(conn)
    await conn.execute("select holdfast.save_checkpoint($1, $2, 'fetch', '1')", job.id, job.token)
    await settle(conn, job, "advance", {"stage": "two"})
    assert await conn.fetch("select * from holdfast.load_checkpoints($1)", job.id) == []


async def test_a_delayed_stage_is_scheduled(conn: Connection) -> None:
    job = await running_job(conn)
    await settle(conn, job, "advance", {"stage": "two", "delay": 60})
    row = await the_job(conn, job.id)
    assert row["state"] == "scheduled"
    assert row["due_at"] - row["created_at"] > timedelta(seconds=55)


async def test_a_stage_in_a_queue_with_ageing_gets_its_lead(conn: Connection) -> None:
    await a_queue(conn, "aged", ageing=1)
    job = await running_job(conn, priority=30)
    await settle(conn, job, "advance", {"stage": "two", "queue": "aged"})
    row = await conn.fetchrow("select urgency, lead from holdfast.jobs where id = $1", job.id)
    assert row is not None
    assert (row["urgency"], row["lead"]) == (0, timedelta(minutes=30))
    again = await claim_one(conn, await a_worker(conn, ["aged"]))
    await settle(conn, again, "advance", {"stage": "three", "queue": "default"})
    row = await conn.fetchrow("select urgency, lead from holdfast.jobs where id = $1", job.id)
    assert row is not None
    assert (row["urgency"], row["lead"]) == (30, None)


async def test_a_stale_advance_changes_and_records_nothing(conn: Connection) -> None:
    await a_queue(conn, detail="full")
    job = await running_job(conn)
    before = await conn.fetchval("select count(*) from holdfast.events")
    lost = await conn.fetch(
        "select holdfast.advance_jobs($1, $2, $3, $4)", [job.id], [uuid4()], ["1"], ['{"stage": "x"}']
    )
    assert [row[0] for row in lost] == [job.id]
    assert await state_of(conn, job.id) == "running"
    assert await conn.fetchval("select count(*) from holdfast.stage_outputs") == 0
    assert await conn.fetchval("select count(*) from holdfast.events") == before


async def test_a_job_that_was_asked_to_cancel_goes_no_further(conn: Connection) -> None:
    job = await running_job(conn)
    await cancel(conn, job.id)
    await settle(conn, job, "advance", {"stage": "two"})
    assert await state_of(conn, job.id) == "cancelled"
