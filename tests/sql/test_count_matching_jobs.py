"""How many jobs in some states fit a filter."""

from holdfast.db import jobs
from holdfast.db.connect import Connection
from holdfast.model.state import LIVE, State
from tests.builders import (
    an_open_run,
    completed_job,
    dead_job,
    ready_job,
    refusal,
    running_job,
    scheduled_job,
)


async def test_live_and_ended_jobs_are_counted_by_state(conn: Connection) -> None:
    await ready_job(conn, queue="a")
    await scheduled_job(conn, queue="a")
    await running_job(conn, queue="b")
    await completed_job(conn, queue="a")
    await dead_job(conn, queue="a")
    assert await jobs.count_matching(conn, {}, LIVE) == 3
    assert await jobs.count_matching(conn, {"queue": "a"}, LIVE) == 2
    assert await jobs.count_matching(conn, {"queue": "a"}, [State.READY]) == 1
    assert await jobs.count_matching(conn, {"queue": "a"}, [State.DEAD]) == 1
    assert await jobs.count_matching(conn, {"queue": "a"}, [State.COMPLETED, State.DEAD]) == 2
    assert await jobs.count_matching(conn, {"queue": "a"}, [*LIVE, State.DEAD]) == 3


async def test_run_and_age_choose(conn: Connection) -> None:
    run = await an_open_run(conn)
    await ready_job(conn, run=run)
    await ready_job(conn)
    assert await jobs.count_matching(conn, {"run": str(run)}, LIVE) == 1
    assert await jobs.count_matching(conn, {"older_than": 3600}, LIVE) == 0
    assert await jobs.count_matching(conn, {"newer_than": 3600}, LIVE) == 2


async def test_a_filter_that_is_not_known_is_refused(conn: Connection) -> None:
    refused = await refusal(conn, "select holdfast.count_matching_jobs('{\"colour\": 1}', '{dead}')")
    assert "colour" in str(refused)
