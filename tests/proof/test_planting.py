"""Each invariant is planted and found: a checker that cannot fail is worth nothing."""

from datetime import timedelta
from pathlib import Path

import pytest

from holdfast.db.connect import Connection
from holdfast.db.invariants import check_invariants
from holdfast.model.state import TRANSITIONS, State
from tests.builders import (
    a_queue,
    a_sealed_run,
    a_worker,
    cancel,
    claim_one,
    complete,
    dead_job,
    expire_worker,
    fail,
    ready_job,
    release,
    replay,
    rescue,
    running_job,
    settle,
    snooze,
    to_json,
    waiting_job,
)
from tests.proof.plants import PLANTS, failed_job, trail
from tests.proof.recorded import Plant, a_whole_trail, lost_while_leased_and_run_by_another
from tests.repo.tree import ROOT

FILES = ROOT / "src" / "holdfast" / "sql" / "invariant"


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.__name__)
async def test_a_planted_violation_is_found(conn: Connection, plant: Plant) -> None:
    assert await found(conn) == set()
    await plant(conn)
    assert plant.__name__ in await found(conn)


def test_every_invariant_has_a_plant() -> None:
    assert names_in(FILES) == {plant.__name__ for plant in PLANTS}


async def test_the_trail_may_tell_of_the_legal_transitions_and_of_no_other(conn: Connection) -> None:
    for source in State:
        for target in set(State) - {source}:
            await trail(conn, source, target)
            assert ("illegal_transition" in await found(conn)) == (target not in TRANSITIONS[source])
            await conn.execute("delete from holdfast.events")


async def test_a_rescue_that_asks_for_no_lease_makes_leases_overlap(conn: Connection) -> None:
    await lost_while_leased_and_run_by_another(conn)
    assert await found(conn) == {"lost_while_leased", "leases_overlap"}


async def test_a_job_whose_line_came_again_ran_in_order(conn: Connection) -> None:
    """The first line had a second place, the next one begins anew."""
    worker = await a_worker(conn)
    await waiting_job(conn, order_key="line")
    for _ in range(2):
        assert await complete(conn, await claim_one(conn, worker))
    await ready_job(conn, order_key="line")
    assert await complete(conn, await claim_one(conn, worker))
    assert await found(conn) == set()


async def test_a_limit_that_is_lowered_lets_what_runs_run_on(conn: Connection) -> None:
    await a_queue(conn, max_concurrent=2)
    await conn.execute("update holdfast.limits set changed_at = '2020-01-01Z'")
    worker = await a_worker(conn)
    await ready_job(conn)
    await ready_job(conn)
    first, second = await claim_one(conn, worker), await claim_one(conn, worker)
    await a_queue(conn, max_concurrent=1)
    assert await found(conn) == set()
    assert await complete(conn, first)
    assert await complete(conn, second)
    assert await found(conn) == set()


async def test_a_stage_that_fans_out_leaves_its_failures_behind(conn: Connection) -> None:
    stages = [
        {"name": name, "task": "task", "queue": "default"} for name in ("first", "left", "right", "last")
    ]
    await conn.execute("select holdfast.declare_pipeline('forked', $1)", to_json({"stages": stages}))
    worker = await a_worker(conn)
    await ready_job(conn, pipeline="forked", stage="first", retry={"delays": [0, 0]})
    assert await fail(conn, await claim_one(conn, worker))
    job = await claim_one(conn, worker)
    assert await settle(conn, job, "advance", {"stages": ["left", "right"]}, output=1)
    assert await found(conn) == set()
    for _ in range(2):
        assert await settle(conn, await claim_one(conn, worker), "complete", None, 2)
    await conn.execute("select holdfast.close_runs()")
    assert await complete(conn, await claim_one(conn, worker))
    assert await found(conn) == set()


async def test_a_whole_trail_of_all_that_people_do_has_no_gap(conn: Connection) -> None:
    await a_whole_trail(conn)
    worker = await a_worker(conn)
    await ready_job(conn)
    job = await claim_one(conn, worker)
    assert await release(conn, job)
    assert await snooze(conn, await claim_one(conn, worker), timedelta(0))
    job = await claim_one(conn, worker)
    for verb in ("reclaim_jobs", "fail_as_operator"):
        await conn.execute(f"select holdfast.{verb}($1, 'it hangs', 'Ada')", [job.id])
    assert await replay(conn, job.id) == "replayed"
    job = await claim_one(conn, worker)
    assert await cancel(conn, job.id) == "asked"
    assert await settle(conn, job, "cancel", {})
    assert await replay(conn, job.id) == "replayed"
    await conn.execute("select holdfast.complete_as_operator($1, '1', 'done', 'Ada')", [job.id])
    assert await cancel(conn, await waiting_job(conn)) == "cancelled"
    assert await found(conn) == set()


async def test_a_wait_may_be_followed_by_any_attempt(conn: Connection) -> None:
    job = await running_job(conn)
    assert await settle(conn, job, "wait", {"for": "signal:go"})
    await conn.execute("select holdfast.signal($1, 'go', '1', 'Ada')", job.id)
    again = await claim_one(conn, job.worker)
    assert again.attempt == 2
    assert await found(conn) == set()
    assert await complete(conn, again)
    assert await found(conn) == set()


async def test_an_honest_day_violates_nothing(conn: Connection) -> None:
    """Failures, losses, deaths, stages, runs, order and keys, all by the verbs."""
    await failed_job(conn, unique_key="once", order_key="line")
    await dead_job(conn, queue="deaths")
    await a_sealed_run(conn, jobs=3)
    await waiting_job(conn, queue="lines")
    lost = await running_job(conn, queue="losses")
    await expire_worker(conn, lost.worker)
    assert (await rescue(conn))["recovered"] == 1
    staged = await running_job(conn, queue="stages")
    assert await settle(conn, staged, "advance", {"stage": "next", "queue": "stages"}, output=1)
    assert await found(conn) == set()


async def found(conn: Connection) -> set[str]:
    return {one.name for one in await check_invariants(conn, 1000, timedelta(seconds=0.5))}


def names_in(folder: Path) -> set[str]:
    """The names that the SQL files give to violations: quoted, first in a select."""
    return {
        line.split("'")[1]
        for file in folder.glob("*.sql")
        for line in file.read_text().splitlines()
        if line.strip().startswith("select '")
    }
