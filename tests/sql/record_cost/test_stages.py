"""An estimate belongs to the call that it was made for: no later stage or attempt inherits it."""

from typing import Any
from uuid import UUID

from holdfast.db.connect import Connection
from tests.builders import Running, an_open_run, ready_job, release, settle, the_run
from tests.sql.endpoints.scene import (
    a_caller,
    a_fixed_endpoint,
    an_endpoint,
    assert_balanced,
    blockers,
    claimed,
    the_endpoint,
)
from tests.stage_builders import a_pipeline, entered_job

STAGES = [{"name": "ask", "task": "ask", "endpoint": "model"}, {"name": "save", "task": "save"}]
ESTIMATES = "select estimate, reserved_units from holdfast.jobs"


async def at_save(conn: Connection, **options: Any) -> tuple[UUID, UUID]:
    """A run whose one job has asked its model, for 10 of the expected 900 units, and is to be saved."""
    await a_fixed_endpoint(conn, price=1, estimate=900)
    await a_pipeline(conn, stages=STAGES)
    run = await an_open_run(conn, max_units=1000)
    await entered_job(conn, run=run, **options)
    rows = await conn.fetch("select distinct queue from holdfast.stage_view")
    worker = await a_caller(conn, *(row["queue"] for row in rows))
    (job,) = await claimed(conn, worker)
    assert await settle(conn, job, "advance", {"units": 200})
    return run, worker


async def test_a_stage_without_an_endpoint_reserves_nothing_of_the_one_before(conn: Connection) -> None:
    run, worker = await at_save(conn)
    (job,) = await claimed(conn, worker)
    assert await reserved(conn, run) == 0
    assert await settle(conn, job, "complete")
    assert (await the_run(conn, run))["used_units"] == 200


async def test_a_stage_without_an_endpoint_that_says_nothing_used_nothing(conn: Connection) -> None:
    """The job's own estimate is kept free for it while it runs; no call was made that could have used it."""
    run, worker = await at_save(conn, estimate=300)
    (job,) = await claimed(conn, worker)
    assert await reserved(conn, run) == 300
    assert await settle(conn, job, "complete")
    assert (await the_run(conn, run))["used_units"] == 200


async def test_an_attempt_is_expected_to_use_what_its_endpoint_says_now(conn: Connection) -> None:
    await a_fixed_endpoint(conn, estimate=900)
    await ready_job(conn, endpoint="model")
    worker = await a_caller(conn)
    await release(conn, (await claimed(conn, worker))[0])
    await an_endpoint(conn, estimate=20)
    await claimed(conn, worker)
    assert (await the_endpoint(conn))["reserved"] == 20
    await assert_balanced(conn)


async def test_a_job_that_waits_keeps_its_own_estimate_and_no_other(conn: Connection) -> None:
    await a_fixed_endpoint(conn, estimate=900)
    for own in (None, 7):
        await ready_job(conn, endpoint="model", estimate=own)
        (job,) = await claimed(conn, await a_caller(conn))
        assert await settle(conn, job, "snooze", {"delay": 60})
    rows = await conn.fetch(f"{ESTIMATES} order by estimate")
    assert [tuple(row) for row in rows] == [(7, None), (None, None)]


async def test_what_an_endpoint_expected_does_not_park_the_next_stage(conn: Connection) -> None:
    _, worker = await at_save(conn)
    (job,) = [row["id"] for row in await conn.fetch("select id from holdfast.jobs")]
    assert await blockers(conn, job) == []
    assert [one.id for one in await claimed(conn, worker)] == [job]


async def test_a_call_that_began_before_the_column_gives_back_what_it_took(conn: Connection) -> None:
    """An older set of functions wrote what it reserved into the estimate."""
    await a_fixed_endpoint(conn, estimate=900)
    await ready_job(conn, endpoint="model")
    job: Running
    (job,) = await claimed(conn, await a_caller(conn))
    await conn.execute("update holdfast.jobs set estimate = reserved_units, reserved_units = null")
    assert await settle(conn, job, "complete")
    assert (await the_endpoint(conn))["reserved"] == 0


async def reserved(conn: Connection, run: UUID) -> float:
    units: float = await conn.fetchval("select reserved_units from holdfast.budget_of($1)", run)
    return units
