"""Money and units per run: no start beyond them, and a person lets the run go on."""

import random
from typing import Any
from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    Running,
    a_worker,
    an_open_run,
    complete,
    fail,
    ready_jobs,
    refusal,
    release,
    settle,
    state_of,
    the_run,
)
from tests.sql.endpoints.scene import (
    a_caller,
    a_fixed_endpoint,
    assert_balanced,
    blockers,
    calls,
    claimed,
    told_to_wait,
)

RAISE = "select holdfast.raise_budget($1, $2, $3, $4)"
STATES = "select state, count(*) from holdfast.jobs where run_id = $1 group by state order by state"


async def a_capped_run(conn: Connection, jobs: int = 10, estimate: float = 1, **options: Any) -> UUID:
    """Each call is expected to use some units, at one money each."""
    await a_fixed_endpoint(conn, price=1, estimate=estimate)
    run = await an_open_run(conn, **options)
    await calls(conn, jobs, run=run)
    return run


async def used(conn: Connection, job: Running, units: float) -> None:
    assert await settle(conn, job, "complete", {"units": units})


async def states(conn: Connection, run: UUID) -> dict[str, int]:
    return {row["state"]: row["count"] for row in await conn.fetch(STATES, run)}


async def test_no_call_starts_once_settled_and_reserved_reach_the_budget(conn: Connection) -> None:
    run = await a_capped_run(conn, budget="5 USD")
    jobs = await claimed(conn, await a_caller(conn))
    assert len(jobs) == 5
    assert await told_to_wait(conn, await a_caller(conn)) == 0.5, "a call may use less than was expected"
    assert await states(conn, run) == {"ready": 5, "running": 5}


async def test_what_calls_leave_over_is_used_by_others(conn: Connection) -> None:
    run = await a_capped_run(conn, budget=5)
    worker = await a_caller(conn)
    for job in await claimed(conn, worker):
        await used(conn, job, 0.5)
    assert len(await claimed(conn, worker)) == 2
    assert (await the_run(conn, run))["spent"] == 2.5


async def test_when_the_money_is_spent_the_rest_waits_for_a_person(conn: Connection) -> None:
    run = await a_capped_run(conn, budget=5)
    worker = await a_caller(conn)
    for job in await claimed(conn, worker):
        await used(conn, job, 1)
    assert await claimed(conn, worker) == []
    assert await states(conn, run) == {"waiting": 5}
    (waiting, *_) = [row["id"] for row in await conn.fetch("select id from holdfast.jobs")]
    (said,) = await conn.fetch("select * from holdfast.explain($1)", waiting)
    assert said["blocker"] == "run_budget"
    assert said["detail"] == (
        f"Run {run}: of its budget of 5, 5 is spent and 0 reserved; raise_budget continues it."
    )
    assert await conn.fetchval(RAISE, run, 7, "worth it", "Ada") == 5
    assert len(await claimed(conn, worker)) == 2
    events = await conn.fetch("select cause, actor, reason from holdfast.events where run_id = $1", run)
    assert [tuple(row) for row in events] == [
        ("budget_reached", None, None),
        ("raise_budget", "Ada", "worth it"),
    ]


async def test_a_call_that_would_go_beyond_it_does_not_start(conn: Connection) -> None:
    run = await a_capped_run(conn, estimate=2, budget=5)
    worker = await a_caller(conn)
    for job in await claimed(conn, worker):
        await used(conn, job, 2)
    assert await claimed(conn, worker) == [], "one is left, and a call is expected to cost two"
    assert await states(conn, run) == {"waiting": 8}


@pytest.mark.parametrize("seed", range(3))
async def test_overshoot_is_at_most_what_calls_in_flight_exceed_their_estimates(
    conn: Connection, seed: int
) -> None:
    luck = random.Random(seed)
    run = await a_capped_run(conn, jobs=60, budget=20)
    worker, held, spent, excess = await a_caller(conn), list[Running](), 0.0, 0.0
    while held or (await states(conn, run)).get("ready"):
        held += await claimed(conn, worker, luck.randint(1, 6))
        assert spent + len(held) <= 20 + excess + 1e-9
        luck.shuffle(held)
        for _ in range(luck.randint(1, max(1, len(held)))):
            if not held:
                break
            job, units = held.pop(), luck.choice([0.0, 0.3, 1.0, 1.7])
            match luck.choice(["complete", "complete", "fail", "release"]):
                case "complete":
                    await used(conn, job, units)
                case "fail":
                    await fail(conn, job, units=units)
                case _:
                    await release(conn, job)
                    units = 0.0
            spent += units
            excess = max(excess, spent - 20, excess + max(0.0, units - 1))
        await conn.execute("update holdfast.endpoints set blocked_until = 0, circuit = 'closed', streak = 0")
        await conn.execute("select holdfast.promote_jobs()")
    assert (await the_run(conn, run))["spent"] == pytest.approx(spent)
    await assert_balanced(conn)


async def test_units_are_capped_in_lanes_without_an_endpoint_too(conn: Connection) -> None:
    run = await an_open_run(conn, max_units=10)
    await ready_jobs(conn, 5, run=run, estimate=4)
    worker = await a_worker(conn)
    jobs = await claimed(conn, worker)
    assert len(jobs) == 2
    for job in jobs:
        await used(conn, job, 5)
    assert await claimed(conn, worker) == []
    assert await states(conn, run) == {"waiting": 3}
    raised = "select holdfast.raise_budget($1, null, max_units => 14)"
    assert await conn.fetchval(raised, run) == 3
    assert len(await claimed(conn, worker)) == 1


async def test_other_jobs_of_the_queue_go_on(conn: Connection) -> None:
    await a_capped_run(conn, budget=0)
    await calls(conn, 3)
    assert len(await claimed(conn, await a_caller(conn))) == 3


async def test_a_job_whose_run_is_capped_is_explained_before_it_is_parked(conn: Connection) -> None:
    await a_capped_run(conn, jobs=2, budget=1)
    (job,) = await claimed(conn, await a_caller(conn))
    (other,) = [row["id"] for row in await conn.fetch("select id from holdfast.jobs where state = 'ready'")]
    assert await blockers(conn, other) == ["run_budget"]
    await complete(conn, job)
    assert await blockers(conn, other) == ["run_budget"], "a success that says nothing used its estimate"
    await claimed(conn, await a_caller(conn))
    assert await state_of(conn, other) == "waiting"


async def test_only_more_raises_it_and_only_where_there_is_one(conn: Connection) -> None:
    run, free = await an_open_run(conn, budget="5 EUR"), await an_open_run(conn)
    codes = [
        (await refusal(conn, "select holdfast.raise_budget($1, $2)", which, amount)).sqlstate
        for which, amount in [(run, 5.0), (run, 1.0), (run, None), (free, 9.0), (UUID(int=1), 9.0)]
    ]
    assert codes == ["HF002", "HF002", "HF002", "HF005", "HF004"]


async def test_what_a_run_has_no_budget_of_cannot_be_raised(conn: Connection) -> None:
    """Its jobs would go on, find the budget as it was, and wait again."""
    units, money = await an_open_run(conn, max_units=10), await an_open_run(conn, budget=5)
    refused = await refusal(conn, "select holdfast.raise_budget($1, 20)", units)
    assert (refused.sqlstate, refused.message) == ("HF005", f"The run {units} has no budget in money.")
    refused = await refusal(conn, "select holdfast.raise_budget($1, null, max_units => 20)", money)
    assert (refused.sqlstate, refused.message) == ("HF005", f"The run {money} has no max_units.")


@pytest.mark.parametrize(
    "options", [{"budget": "much"}, {"budget": -1}, {"max_units": "x"}, {"max_units": -1}]
)
async def test_a_budget_that_makes_no_sense_is_refused(conn: Connection, options: dict[str, Any]) -> None:
    with pytest.raises(Exception, match=r"money|max_units"):
        await an_open_run(conn, **options)
