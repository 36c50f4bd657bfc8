"""Lists of jobs: live and ended together, newest first, bounded in what one call looks at."""

from typing import Any
from uuid import UUID

import pytest

from holdfast.db import jobs
from holdfast.db.connect import Connection
from holdfast.model.error import InvalidOption
from tests.builders import (
    a_queue,
    an_open_run,
    cancelled_job,
    completed_job,
    dead_job,
    ready_job,
    ready_jobs,
    running_job,
    scheduled_job,
)

MANY_LIVE = """
insert into holdfast.jobs (id, lane, priority, urgency, state, rank_at, queue, task)
select holdfast.new_id(now() - i * interval '1 second'), holdfast.find_lane($1, null, null), 50, 50, 'ready',
  now(), $1, 'task'
from generate_series(1, $2::integer) as i
"""
MANY_ENDED = """
insert into holdfast.history (
  id, state, ended_at, queue, task, lane, priority, attempt, failures, losses, deferrals, generation, visit
)
select holdfast.new_id(now() - i * interval '1 second'), 'completed', now(), $1, 'task',
  holdfast.find_lane($1, null, null), 50, 1, 0, 0, 0, 1, 1
from generate_series(1, $2::integer) as i
"""


async def listed(conn: Connection, **filters: Any) -> set[UUID]:
    return {job.id for job in await jobs.list_jobs(conn, filters)}


async def test_live_and_ended_jobs_come_newest_first_page_by_page(conn: Connection) -> None:
    made = [await ready_job(conn, queue="a"), (await completed_job(conn)).id, await scheduled_job(conn)]
    made += [(await dead_job(conn)).id, await ready_job(conn, queue="b")]
    seen: list[UUID] = []
    page = await jobs.page_jobs(conn, {}, limit=2)
    seen += [job.id for job in page.items]
    while page.next is not None:
        page = await jobs.page_jobs(conn, {}, page.next, limit=2)
        seen += [job.id for job in page.items]
    assert seen == sorted(made, reverse=True)
    assert set(seen) == set(made)


async def test_each_key_of_a_filter_chooses(conn: Connection) -> None:
    run = await an_open_run(conn)
    running = await running_job(conn, attempt=3, queue="a")
    live = await ready_job(conn, queue="b", task="x", run=run, labels={"k": [1]}, order_key="o", priority=9)
    ended = await dead_job(conn, queue="c", run=run)
    assert await listed(conn, queue="a") == {running.id}
    assert await listed(conn, task="x") == {live}
    assert await listed(conn, run=str(run)) == {live, ended.id}
    assert await listed(conn, run=str(run), state="dead") == {ended.id}
    assert await listed(conn, labels={"k": [1]}) == {live}
    assert await listed(conn, attempt=3) == {running.id}
    assert await listed(conn, failures=1) == {ended.id}
    assert await listed(conn, priority=9) == {live}
    assert await listed(conn, worker=str(running.worker)) == {running.id}
    assert await listed(conn, order_key="o") == {live}
    assert await listed(conn, older_than=3600) == set()
    assert await listed(conn, newer_than=3600) == {running.id, live, ended.id}


async def test_each_state_lists_its_own(conn: Connection) -> None:
    running = await running_job(conn, queue="r")
    ids = {"ready": await ready_job(conn, queue="a"), "scheduled": await scheduled_job(conn, queue="b")}
    ids |= {"completed": (await completed_job(conn, queue="c")).id, "cancelled": await cancelled_job(conn)}
    ids |= {"dead": (await dead_job(conn, queue="d")).id, "running": running.id}
    for state, job in ids.items():
        assert await listed(conn, state=state) == {job}, state
    assert await listed(conn, state="rejected") == set()


async def test_a_filter_with_an_unknown_key_is_refused(conn: Connection) -> None:
    with pytest.raises(InvalidOption, match="stat"):
        await jobs.list_jobs(conn, {"stat": "ready"})


@pytest.mark.parametrize("many", [MANY_LIVE, MANY_ENDED])
async def test_one_call_looks_at_ten_thousand_and_says_where_it_stopped(conn: Connection, many: str) -> None:
    await a_queue(conn, "crowd")
    # The rare job is older than the crowd, in the order of ids.
    rare = await conn.fetchval(
        """
        insert into holdfast.jobs (id, lane, priority, urgency, state, rank_at, queue, task)
        values (holdfast.new_id(now() - interval '1 day'), holdfast.find_lane('rare', null, null),
          50, 50, 'ready', now(), 'rare', 'task')
        returning id
        """
    )
    await conn.execute(many, "crowd", 10_001)
    first = await jobs.page_jobs(conn, {"queue": "rare"})
    assert first.items == []
    assert first.next is not None
    second = await jobs.page_jobs(conn, {"queue": "rare"}, first.next)
    assert [job.id for job in second.items] == [rare]
    assert second.next is None
    assert await listed(conn, queue="rare") == {rare}


async def test_more_than_a_call_gives_is_listed_by_several(conn: Connection) -> None:
    made = await ready_jobs(conn, 2500)
    found = await jobs.list_jobs(conn, {}, limit=2200)
    assert [job.id for job in found] == made[:-2201:-1]
