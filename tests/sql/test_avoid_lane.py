"""A worker that gets a task it does not know leaves that lane to others for a while."""

from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import Running, a_worker, claim, claim_one, fail, ready_job
from tests.sql.conftest import Clock

WHILE = timedelta(seconds=10)


async def give_back(conn: Connection, job: Running) -> None:
    assert await fail(conn, job, "system", type="UnknownTask")


async def test_a_lane_with_an_unknown_task_is_left_alone_for_a_while(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn)
    await ready_job(conn, task="strange")
    await give_back(conn, await claim_one(conn, worker))
    known = await ready_job(conn)
    assert await claim(conn, worker) == []
    await clock.advance(WHILE)
    assert known in [job.id for job in await claim(conn, worker, 10)]


async def test_others_and_other_lanes_are_not_touched(conn: Connection) -> None:
    worker, other = await a_worker(conn, ["default", "mail"]), await a_worker(conn)
    await ready_job(conn, task="strange")
    await give_back(conn, await claim_one(conn, other))
    here, there = await ready_job(conn), await ready_job(conn, queue="mail")
    assert {job.id for job in await claim(conn, worker, 10)} == {here, there}


async def test_an_error_of_the_system_that_is_not_about_the_task_costs_no_lane(conn: Connection) -> None:
    worker = await a_worker(conn)
    await ready_job(conn)
    await fail(conn, await claim_one(conn, worker), "system", type="ProcessNotStarted")
    await ready_job(conn)
    assert len(await claim(conn, worker)) == 1


async def test_a_batch_of_strange_jobs_is_remembered_once(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn)
    for _ in range(5):
        await ready_job(conn, task="strange")
    for job in await claim(conn, worker, 5):
        await give_back(conn, job)
    assert await conn.fetchval("select count(*) from holdfast.avoided_lanes") == 1
    await clock.advance(WHILE)
    await conn.execute("select holdfast.forget_workers()")
    assert await conn.fetchval("select count(*) from holdfast.avoided_lanes") == 0
