"""A job that needs more than is left of its run's budget waits alone."""

from holdfast.db.connect import Connection
from tests.builders import a_worker, an_open_run, claim, ready_job, state_of


async def test_a_job_that_is_too_dear_does_not_hold_up_those_chosen_before_it(conn: Connection) -> None:
    run = await an_open_run(conn, max_units=20)
    small = await ready_job(conn, run=run, estimate=5)
    dear = await ready_job(conn, run=run, estimate=25)
    late = await ready_job(conn, run=run, estimate=5)
    assert {job.id for job in await claim(conn, await a_worker(conn), 10)} == {small, late}
    assert await state_of(conn, dear) == "waiting"
