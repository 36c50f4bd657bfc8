"""One renewal keeps all jobs of a worker; one that comes after a rescue says so and forgives the losses."""

from datetime import timedelta
from uuid import uuid4

import asyncpg

from holdfast.db.connect import Connection
from tests.builders import (
    a_worker,
    attempts_of,
    claim,
    claim_one,
    complete,
    expire_worker,
    ready_job,
    ready_jobs,
    renew,
    rescue,
    running_job,
    settle,
    state_of,
    the_job,
)
from tests.sql.conftest import Clock


async def test_a_renewed_worker_is_not_robbed(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn, lease=timedelta(seconds=30))
    await ready_jobs(conn, 5)
    jobs = await claim(conn, worker, 5)
    for _ in range(10):
        await clock.advance(timedelta(seconds=29))
        assert (await renew(conn, worker))["known"]
        await rescue(conn)
    assert {await state_of(conn, job.id) for job in jobs} == {"running"}


async def test_a_renewal_tells_until_when_and_keeps_the_counts(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn, lease=timedelta(seconds=30))
    row = await renew(conn, worker, running=3, processed=10, failed=1, state="draining")
    assert timedelta(seconds=25) < row["lease_until"] - await clock.now() <= timedelta(seconds=30)
    assert (row["known"], row["rescued"], row["drain"]) == (True, False, False)
    (seen,) = await conn.fetch("select * from holdfast.worker_view")
    assert (seen["running"], seen["processed"], seen["failed"], seen["state"]) == (3, 10, 1, "draining")
    await renew(conn, worker)
    (seen,) = await conn.fetch("select * from holdfast.worker_view")
    assert (seen["running"], seen["processed"], seen["failed"]) == (3, 10, 1)


async def test_a_worker_that_is_gone_must_register_again(conn: Connection) -> None:
    assert not (await renew(conn, uuid4()))["known"]
    worker = await a_worker(conn)
    await conn.execute("select holdfast.stop_worker($1)", worker)
    assert not (await renew(conn, worker))["known"]


async def test_a_worker_that_is_merely_late_keeps_its_jobs(conn: Connection) -> None:
    job = await running_job(conn)
    await expire_worker(conn, job.worker)
    row = await renew(conn, job.worker)
    assert (row["known"], row["rescued"]) == (True, False)
    await rescue(conn)
    assert await complete(conn, job)


async def test_a_loss_becomes_a_deferral_when_the_worker_is_heard_from_again(conn: Connection) -> None:
    job = await running_job(conn)
    await expire_worker(conn, job.worker)
    await rescue(conn)
    assert (await the_job(conn, job.id))["losses"] == 1
    assert (await renew(conn, job.worker))["rescued"]
    row = await the_job(conn, job.id)
    assert (row["losses"], row["deferrals"]) == (0, 1)
    (attempt,) = await attempts_of(conn, job.id)
    assert (attempt["outcome"], attempt["counted"]) == ("forgiven", False)
    assert not (await renew(conn, job.worker))["rescued"]
    assert (await the_job(conn, job.id))["deferrals"] == 1


async def test_forgiving_touches_no_loss_of_another_worker_or_stage(conn: Connection) -> None:
    forgiven, vanished = await a_worker(conn), await a_worker(conn)
    job = await running_job(conn, forgiven)
    await expire_worker(conn, forgiven)
    await rescue(conn)
    other = await a_worker(conn)
    await settle(conn, await claim_one(conn, other), "advance", {"stage": "two"})
    await claim_one(conn, vanished)
    await expire_worker(conn, vanished)
    await rescue(conn)
    assert (await the_job(conn, job.id))["losses"] == 1
    await renew(conn, forgiven)
    assert (await the_job(conn, job.id))["losses"] == 1


async def test_losses_never_fall_below_nothing(conn: Connection) -> None:
    job = await running_job(conn)
    await expire_worker(conn, job.worker)
    await rescue(conn)
    await conn.execute("update holdfast.jobs set losses = 0")
    await renew(conn, job.worker)
    assert (await the_job(conn, job.id))["losses"] == 0


async def test_jobs_that_a_rescue_passed_over_are_given_back_by_the_renewal(database_url: str) -> None:
    """A rescue skips rows that are locked just then; the worker drops them too, so nobody would end them."""
    conn, other = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    job = await running_job(conn)
    await expire_worker(conn, job.worker)
    await conn.execute("select holdfast.register_worker($1, array['default'])", uuid4())
    taken = await ready_job(conn)
    await conn.execute(
        "update holdfast.jobs set state = 'running', worker_id = $1, token = gen_random_uuid(),"
        " started_at = now(), attempt = 1 where id = $2",
        job.worker,
        taken,
    )
    transaction = other.transaction()
    await transaction.start()
    await other.execute("select 1 from holdfast.jobs where id = $1 for update", job.id)
    assert (await rescue(conn))["recovered"] == 1
    await transaction.rollback()
    assert await state_of(conn, job.id) == "running"
    assert (await renew(conn, job.worker))["rescued"]
    assert await state_of(conn, job.id) == "ready"
    assert not await complete(conn, job)
    await conn.close()
    await other.close()
