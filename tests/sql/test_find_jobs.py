"""Live jobs for bulk actions: oldest first, each once, bounded in what one call looks at."""

from uuid import UUID

import pytest

from holdfast.db import operator
from holdfast.db.connect import Connection
from tests.builders import an_open_run, completed_job, ready_job, ready_jobs, refusal, running_job
from tests.sql.list_jobs.test_listing import MANY_LIVE


async def test_live_jobs_come_oldest_first_page_by_page(conn: Connection) -> None:
    await completed_job(conn)
    made = await ready_jobs(conn, 5)
    page = await operator.find_jobs(conn, {}, limit=2)
    seen: list[UUID] = [*page.items]
    while page.next is not None:
        page = await operator.find_jobs(conn, {}, page.next, limit=2)
        seen += page.items
    assert seen == made


async def test_run_state_and_age_choose(conn: Connection) -> None:
    run = await an_open_run(conn)
    mine = await ready_job(conn, run=run, queue="a")
    running = await running_job(conn, queue="b")
    assert (await operator.find_jobs(conn, {"run": str(run)})).items == [mine]
    assert (await operator.find_jobs(conn, {"state": "running"})).items == [running.id]
    assert (await operator.find_jobs(conn, {"older_than": 3600})).items == []
    assert (await operator.find_jobs(conn, {"newer_than": "1 hour"})).items == [mine, running.id]


async def test_one_call_looks_at_ten_thousand_and_says_where_it_stopped(conn: Connection) -> None:
    await conn.execute(MANY_LIVE, "crowd", 10_001)
    rare = await ready_job(conn, queue="rare")
    first = await operator.find_jobs(conn, {"queue": "rare"})
    assert first.items == []
    assert first.next is not None
    second = await operator.find_jobs(conn, {"queue": "rare"}, first.next)
    assert (second.items, second.next) == ([rare], None)


@pytest.mark.parametrize(
    "filters", ['{"older_than": "soon"}', '{"worker": "me"}', '{"attempt": "many"}', '{"priority": 1e99}']
)
async def test_a_value_that_does_not_fit_is_refused(conn: Connection, filters: str) -> None:
    for verb in ("find_jobs", "list_jobs"):
        error = await refusal(conn, f"select * from holdfast.{verb}($1)", filters)
        assert error.sqlstate == "HF002", verb
