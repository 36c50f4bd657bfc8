"""A verb costs the same however many jobs there are, with plans and statistics from when there were none."""

from collections.abc import AsyncIterator

import asyncpg
import pytest

from holdfast.db.connect import Connection
from tests.builders import an_open_run, ready_job
from tests.plan.cost import Cost, cost_of
from tests.plan.crowded import Drain, fill, fill_history, make_empty, shut_first

TWENTY = [f"queue {n}" for n in range(20)]
BATCH = 100
SIZES = [50_000, pytest.param(1_000_000, marks=pytest.mark.slow)]

# Shared buffers per job, at most: half as much again as was measured with PostgreSQL 18.
TURN = 30
ENDS = {"fail": 50, "snooze": 30, "release": 30, "reject": 22, "advance": 45, "cancel": 24}
# Shared buffers per call. A sweep looks at the hundred running jobs and at what vacuum has not taken away:
# measured 301 to 647, and 84,000 when it walked the primary key. The others have nothing to do.
CALLS = {
    "rescue_jobs()": 1500,
    "promote_jobs()": 20,
    "advance_order_keys()": 20,
    "close_runs()": 20,
    "forget_workers()": 25,
    "prune_jobs()": 180,
    "list_jobs()": 900,  # of 100 rows, each with a look at the login that enqueued it
    'list_jobs(\'{"queue": "one"}\', null, 10)': 250,
}
# A read of one job is planned anew each time: the planner looks at the ends of the indexes that it may use.
OF_A_READY_JOB = {"get_job($1)": 150, "cancel_jobs(array[$1]::uuid[])": 90}
OF_AN_ENDED_JOB = {"get_job($1)": 150, "replay_jobs(array[$1]::uuid[])": 150}
# A job that dies, one that ends before the next of its order key, a run of one job: measured 87, 49 and 90.
ONE = {"a death": 130, "an end before another": 75, "cancel_run($1)": 135}


@pytest.fixture
async def conn(database_url: str) -> AsyncIterator[Connection]:
    connection = await asyncpg.connect(database_url)
    yield connection
    await connection.close()


@pytest.mark.parametrize("count", SIZES)
async def test_verbs_stay_cheap_among_very_many_jobs_of_one_lane(conn: Connection, count: int) -> None:
    drain = await make_empty(conn, ["one"])
    await of_one_job(drain)
    await fill_history(conn, count)
    await fill(conn, ["one"], count)
    measured = {"turn": await of_a_turn(drain)}
    measured |= {verb: await of_an_end(drain, verb) for verb in ENDS}
    measured |= await of_calls(drain)
    measured |= await of_one_job(drain)
    bounds = {"turn": TURN} | ENDS | CALLS | named("ready", OF_A_READY_JOB) | named("ended", OF_AN_ENDED_JOB)
    bounds |= ONE
    assert not {name: cost for name, cost in measured.items() if cost > bounds[name]}, measured


@pytest.mark.parametrize("count", SIZES)
async def test_a_turn_over_twenty_lanes_stays_cheap_beside_lanes_it_may_not_claim_from(
    conn: Connection, count: int
) -> None:
    """Paused, another group's, and one whose endpoint is shut; all full of jobs with the highest priority."""
    drain = await make_empty(conn, ["one", "paused", "shut", *TWENTY])
    await fill_history(conn, count)
    await fill(conn, TWENTY, count)
    await fill(conn, ["paused"], count // 10, priority=100)
    await fill(conn, TWENTY[:1], count // 10, group="others", priority=100)
    await conn.execute("select holdfast.pause_queue('paused')")
    await shut_first(conn, "shut", "shut", count // 10)
    assert await of_a_turn(drain) <= TURN
    claimed = await conn.fetch("select distinct queue from holdfast.jobs where state = 'running'")
    assert {row["queue"] for row in claimed} <= {*TWENTY}


async def of_a_turn(drain: Drain, turns: int = 10) -> float:
    """For one completion and one claim, in the dearest of some turns; the first only claims."""
    await drain.turn(BATCH)
    costs = [await drain.turn(BATCH) for _ in range(turns)]
    assert len(await drain.held()) == BATCH
    return max(cost.buffers for cost in costs) / BATCH


async def of_an_end(drain: Drain, verb: str) -> float:
    """For one end of that kind; the first call is not counted, it fills the session's caches.

    What is put back is due in an hour: after this test, however slow the machine."""
    detail = (
        '{"queue": "one", "stage": "next", "delay": 3600, '
        '"class": "transient", "retry_after": 3600, "message": "it broke"}'
    )
    cost = 0.0
    for _ in range(2):
        await drain.turn(BATCH)
        cost = (await drain.end(verb, detail)).buffers / BATCH
        assert not await drain.held()
    return cost


async def of_calls(drain: Drain) -> dict[str, float]:
    """For one call each, the cheapest of three: a first one fills the session's caches."""
    await drain.turn(BATCH)
    measured: dict[str, float] = {}
    ready = await drain.conn.fetch("select id from holdfast.jobs where state = 'ready' limit 3")
    ended = await drain.conn.fetch("select id from holdfast.history limit 3")

    async def measure(name: str, call: str, *args: object) -> None:
        cost = (await cost_of(drain.conn, call, *args)).buffers
        measured[name] = min(cost, measured.get(name, cost))

    for round_ in range(3):
        for call in CALLS:
            await measure(call, call)
        for kind, calls, jobs in (("ready", OF_A_READY_JOB, ready), ("ended", OF_AN_ENDED_JOB, ended)):
            for call in calls:
                await measure(f"{kind}: {call}", call, jobs[round_]["id"])
    return measured


async def of_one_job(drain: Drain) -> dict[str, float]:
    """For one call each, the last of many: after five a session keeps a plan for good."""
    measured: dict[str, Cost] = {}
    permanent = '{"class": "permanent", "message": "it broke"}'
    for number in range(8):
        await drain.turn(1)
        measured["a death"] = await drain.end("fail", permanent)
        for _ in range(2):
            await ready_job(drain.conn, queue="one", order_key=f"line {number}", priority=100)
        await drain.turn(1)
        measured["an end before another"] = await drain.end("complete", None)
        run = await an_open_run(drain.conn)
        await ready_job(drain.conn, queue="one", run=run)
        measured["cancel_run($1)"] = await cost_of(drain.conn, "cancel_run($1)", run)
    return {name: cost.buffers for name, cost in measured.items()}


def named(kind: str, bounds: dict[str, int]) -> dict[str, int]:
    return {f"{kind}: {call}": bound for call, bound in bounds.items()}
