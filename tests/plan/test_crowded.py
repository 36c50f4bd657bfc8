"""A verb costs the same however many jobs there are, with plans and statistics from when there were none."""

from collections.abc import AsyncIterator

import asyncpg
import pytest

from holdfast.db.connect import Connection
from tests.builders import cancel, rescue
from tests.plan.cost import cost_of
from tests.plan.crowded import Drain, fill, fill_history, make_empty

TWENTY = [f"queue {n}" for n in range(20)]
BATCH = 100
SIZES = [200_000, pytest.param(1_000_000, marks=[pytest.mark.slow, pytest.mark.timeout(600)])]

# Shared buffers, at most: half as much again as was measured with PostgreSQL 18 and a million jobs of each kind.
PER_JOB = 25.0
BOUNDS = {
    "complete and claim": 2500,
}


@pytest.fixture
async def conn(database_url: str) -> AsyncIterator[Connection]:
    connection = await asyncpg.connect(database_url)
    yield connection
    await connection.close()


async def buffers_per_job(drain: Drain, turns: int = 10) -> float:
    """For one completion and one claim; the first turn only claims."""
    await drain.turn(BATCH)
    costs = [await drain.turn(BATCH) for _ in range(turns)]
    assert len(await drain.held()) == BATCH
    return max(cost.buffers for cost in costs) / BATCH


@pytest.mark.parametrize("count", SIZES)
async def test_verbs_stay_cheap_among_very_many_jobs_of_one_lane(conn: Connection, count: int) -> None:
    drain = await make_empty(conn, ["one"])
    await fill_history(conn, count)
    await fill(conn, ["one"], count)
    print("per job", await buffers_per_job(drain))
    jobs = [row["id"] for row in await conn.fetch("select id from holdfast.jobs where state='ready' limit 10")]
    past = [row["id"] for row in await conn.fetch("select id from holdfast.history limit 10")]
    for v in ("fail", "snooze", "release", "reject", "advance", "cancel"):
        held = await drain.held()
        d = '{"queue": "one", "stage":"x","class":"transient","delay":60,"reason":"r"}'
        await drain.turn(10)
        print(v, (await drain.end(v, d)).buffers / 10)
    await drain.turn(BATCH)
    for name, call, args in [
        ("enqueue", "enqueue_jobs(array['task'], array_fill('{}'::json, array[100]), '{\"queue\":\"one\"}')", ()),
        ("cancel", "cancel_jobs($1)", (jobs,)),
        ("replay", "replay_jobs($1)", (past,)),
        ("get live", "get_job($1)", (jobs[0],)),
        ("get ended", "get_job($1)", (past[5],)),
        ("rescue", "rescue_jobs()", ()),
        ("promote", "promote_jobs()", ()),
        ("order", "advance_order_keys()", ()),
        ("close", "close_runs()", ()),
        ("prune", "prune_jobs()", ()),
        ("forget", "forget_workers()", ()),
        ("stop", "asked_to_stop($1)", (drain.worker,)),
        ("list", "list_jobs()", ()),
    ]:
        c1 = await cost_of(conn, call, *args)
        c2 = await cost_of(conn, call, *args)
        print(name, c1.buffers, c2.buffers)


@pytest.mark.parametrize("count", SIZES)
async def test_a_turn_over_twenty_lanes_touches_few_buffers_per_job(conn: Connection, count: int) -> None:
    """One more lane is paused and one is another group's; both are full of jobs with the highest priority."""
    drain = await make_empty(conn, ["one", "paused", *TWENTY])
    await fill_history(conn, count)
    await fill(conn, TWENTY, count)
    await fill(conn, ["paused"], count // 10, priority=100)
    await fill(conn, TWENTY[:1], count // 10, group="others", priority=100)
    await conn.execute("select holdfast.pause_queue('paused')")
    print("per job", await buffers_per_job(drain))
