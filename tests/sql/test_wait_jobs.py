"""running -> waiting: without a worker, at no cost, until something comes or the time is over."""

from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import (
    a_queue,
    a_worker,
    cancel,
    claim,
    claim_one,
    letter_of,
    ready_job,
    running_job,
    settle,
    state_of,
    the_job,
)
from tests.stage_builders import job_that_waits, signal


async def test_a_waiting_job_holds_no_worker_and_costs_nothing(conn: Connection) -> None:
    job = await job_that_waits(conn, timeout=60, units=3)
    row = await the_job(conn, job.id)
    assert (row["state"], row["reason"], row["worker"]) == ("waiting", "signal:approval", None)
    assert (row["failures"], row["deferrals"], row["units"]) == (0, 0, 3)
    assert timedelta(seconds=55) < row["due_at"] - row["created_at"] < timedelta(seconds=65)
    assert await claim(conn, job.worker) == []


async def test_what_came_between_the_look_and_the_wait_makes_it_ready_at_once(conn: Connection) -> None:
    job = await running_job(conn)
    assert await signal(conn, job.id) == "kept"
    assert await settle(conn, job, "wait", {"for": "signal:approval"})
    assert await state_of(conn, job.id) == "ready"


async def test_a_stale_wait_is_lost(conn: Connection) -> None:
    job = await running_job(conn)
    await settle(conn, job, "release")
    assert not await settle(conn, job, "wait", {"for": "signal:approval"})
    assert await state_of(conn, job.id) == "ready"


async def test_a_job_that_was_asked_to_cancel_does_not_wait(conn: Connection) -> None:
    job = await running_job(conn)
    await cancel(conn, job.id)
    await settle(conn, job, "wait", {"for": "signal:approval"})
    assert await state_of(conn, job.id) == "cancelled"


async def test_a_wait_for_nothing_is_a_mistake(conn: Connection) -> None:
    job = await running_job(conn)
    await settle(conn, job, "wait", {"for": "godot"})
    letter = await letter_of(conn, job.id)
    assert letter is not None
    assert letter["error_type"] == "BadWait"


async def test_when_its_time_is_over_it_is_ready_and_does_not_wait_again(conn: Connection) -> None:
    job = await job_that_waits(conn, timeout=0)
    assert await state_of(conn, job.id) == "ready"
    job = await job_that_waits(conn, timeout=0.001)
    await conn.execute("select pg_sleep(0.002)")
    assert await conn.fetchval("select holdfast.promote_jobs()") in (0, 1)
    assert await state_of(conn, job.id) == "ready"
    worker = await a_worker(conn)
    for held in await claim(conn, worker, 2):
        await settle(conn, held, "wait", {"for": "signal:approval", "timeout": 60})
    assert await state_of(conn, job.id) == "ready"


async def test_a_permit_is_given_back_while_it_waits(conn: Connection) -> None:
    await a_queue(conn, "q", endpoint="model")
    job = await running_job(conn, queue="q")
    in_flight = "select in_flight from holdfast.endpoint_view where name = 'model'"
    assert await conn.fetchval(in_flight) == 1
    await settle(conn, job, "wait", {"for": "signal:approval"})
    assert await conn.fetchval(in_flight) == 0


async def test_a_waiting_head_keeps_its_place_in_its_order(conn: Connection) -> None:
    worker = await a_worker(conn)
    first = await ready_job(conn, order_key="k")
    second = await ready_job(conn, order_key="k")
    await settle(conn, await claim_one(conn, worker), "wait", {"for": "signal:approval"})
    assert (await state_of(conn, first), await state_of(conn, second)) == ("waiting", "waiting")
    assert await conn.fetchval("select holdfast.promote_jobs()") == 0
