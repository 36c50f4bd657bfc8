"""Whatever ends an attempt brings what it used: to the job, to its run's budget, to the endpoint's day."""

from typing import Any
from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    Running,
    an_open_run,
    cancel,
    expire_worker,
    rescue,
    settle,
    state_of,
    the_job,
    the_run,
    to_json,
)
from tests.sql.endpoints.scene import a_caller, a_fixed_endpoint, assert_balanced, claimed, the_endpoint
from tests.stage_builders import a_pipeline, entered_job

STAGES = [
    {"name": "ask", "task": "ask", "endpoint": "model"},
    {"name": "judge", "task": "judge", "endpoint": "model", "on_reject": "retry"},
    {"name": "save", "task": "save"},
]
FAILURE = {"type": "ValueError", "message": "it broke"}
ENDS: dict[str, tuple[str, dict[str, Any]]] = {
    "complete": ("complete", {}),
    "reject": ("reject", {"reason": "no"}),
    "advance": ("advance", {}),
    "advance nowhere": ("advance", {"stage": "nowhere"}),
    "fan out": ("advance", {"stages": ["judge", "save"]}),
    "snooze": ("snooze", {"delay": 1}),
    "release": ("release", {}),
    "wait": ("wait", {"for": "signal:go"}),
    "wait for nothing": ("wait", {"for": "nothing"}),
    "cancel": ("cancel", {"reason": "asked"}),
    "fail": ("fail", {"class": "transient", **FAILURE}),
    "fail for good": ("fail", {"class": "permanent", **FAILURE}),
    "fail by rate": ("fail", {"class": "rate_limited", **FAILURE}),
    "time out": ("fail", {"class": "transient", "outcome": "timed_out", **FAILURE}),
}


async def a_call(conn: Connection, stage: str = "ask") -> tuple[UUID, Running]:
    """A running job at a stage with an endpoint: 10 units are expected of it, at one money each."""
    await a_fixed_endpoint(conn, price=1, estimate=10, trip_failures=1000)
    await a_pipeline(conn, stages=STAGES)
    run = await an_open_run(conn, budget="100 USD", max_units=100)
    await entered_job(conn, run=run, stage=stage)
    rows = await conn.fetch("select distinct queue from holdfast.stage_view")
    (job,) = await claimed(conn, await a_caller(conn, *(row["queue"] for row in rows)))
    return run, job


async def assert_used(conn: Connection, run: UUID, job: Running, units: float) -> None:
    row = await the_run(conn, run)
    assert (row["spent"], row["used_units"]) == (units, units), "the run"
    seen = await the_job(conn, job.id)
    assert (seen["units"] or 0, seen["cost"] or 0) == (units, units), "the job"
    assert (await the_endpoint(conn))["spent"] == units, "the endpoint"
    b = await conn.fetchrow("select * from holdfast.budget_of($1)", run)
    assert b is not None
    assert (b["reserved"], b["reserved_units"]) == (0, 0)
    await assert_balanced(conn)


@pytest.mark.parametrize("asked", [False, True], ids=["wanted", "unwanted"])
@pytest.mark.parametrize("end", ENDS)
async def test_the_units_of_every_end_are_charged(conn: Connection, end: str, asked: bool) -> None:
    run, job = await a_call(conn)
    if asked:
        assert await cancel(conn, job.id) == "asked"
    verb, detail = ENDS[end]
    assert await settle(conn, job, verb, {**detail, "units": 3})
    assert await state_of(conn, job.id) != "running"
    await assert_used(conn, run, job, 3)


@pytest.mark.parametrize(
    "end", [name for name in ENDS if name not in ("complete", "advance", "reject", "fan out")]
)
async def test_an_end_that_is_no_success_and_says_nothing_costs_nothing(conn: Connection, end: str) -> None:
    run, job = await a_call(conn)
    verb, detail = ENDS[end]
    assert await settle(conn, job, verb, detail)
    await assert_used(conn, run, job, 0)


async def test_a_rejection_that_is_retried_is_charged_alike_to_run_and_endpoint(conn: Connection) -> None:
    run, job = await a_call(conn, "judge")
    assert await settle(conn, job, "reject", {"reason": "no"})
    assert await state_of(conn, job.id) == "scheduled"
    assert (await the_run(conn, run))["spent"] == (await the_endpoint(conn))["spent"] == 10


async def test_an_attempt_that_ends_without_its_worker_costs_the_calls_that_it_recorded(
    conn: Connection,
) -> None:
    run, job = await a_call(conn)
    for units in (2, None, 4):
        await save_call(conn, job, units)
    await expire_worker(conn, job.worker)
    assert (await rescue(conn))["recovered"] == 1
    await assert_used(conn, run, job, 6)


async def test_only_the_calls_of_the_attempt_itself_are_charged(conn: Connection) -> None:
    run, job = await a_call(conn)
    await save_call(conn, job, 5)
    assert await settle(conn, job, "release", {"units": 5})
    (again,) = await claimed(conn, job.worker)
    await expire_worker(conn, job.worker)
    assert (await rescue(conn))["recovered"] == 1
    assert again.id == job.id
    await assert_used(conn, run, job, 5)


@pytest.mark.parametrize("by", ["reclaim_jobs($1, 'why', 'Ada')", "fail_as_operator($1, 'why', 'Ada')"])
async def test_what_an_operator_ends_costs_the_calls_that_it_recorded(conn: Connection, by: str) -> None:
    run, job = await a_call(conn)
    await save_call(conn, job, 6)
    await conn.execute(f"select holdfast.{by}", [job.id])
    await assert_used(conn, run, job, 6)


async def test_work_that_an_operator_completes_costs_the_calls_that_it_recorded(conn: Connection) -> None:
    run, job = await a_call(conn)
    await save_call(conn, job, 6)
    await conn.execute("select holdfast.complete_as_operator($1, '1', 'why', 'Ada')", [job.id])
    await assert_used(conn, run, job, 6)


async def save_call(conn: Connection, job: Running, units: float | None) -> None:
    call = {"kind": "model", "name": "m", "units": units, "seconds": 1}
    assert await conn.fetchval("select holdfast.save_call($1, $2, $3)", job.id, job.token, to_json(call))
