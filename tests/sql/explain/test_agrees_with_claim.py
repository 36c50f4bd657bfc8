"""In any state of the world a ready job is claimed by some live worker or explained, and never both."""

import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from tests.sql.explain.random_world import JOBS, LIVE_WORKERS, STOP_CLOCK, make_world

EXPLAINED = """
select
  j.id, j.lane,
  j.state = 'ready' or j.state = 'scheduled' and j.due_at <= holdfast.now() as is_ready,
  array_remove(array_agg(e.blocker order by e.blocker) filter (where e.blocks), null) as blockers
from holdfast.jobs as j
left join lateral holdfast.explain(j.id) as e on true
group by j.id
"""
CLAIM = "select job_id from holdfast.claim_jobs($1, 1000)"
# Lanes come in any order, and the first takes what is free: a claim that visits only one shows what it can.
LANES_OF = "select pg_get_functiondef('holdfast.lanes_of'::regproc)"
ONLY = "(nullif(current_setting('holdfast_test.only', true), '')::integer = (c.l).lane) is not false"

OF_THE_JOB = {"scheduled", "order", "deadline_passed", "running", "behind"}
OF_ITS_QUEUE = {"paused", "all_paused", "no_worker", "no_worker_in_group", "avoided"}
OF_ITS_ENDPOINT = {"held_open", "blocked", "circuit_open", "probing", "limit", "share", "rate"}
OF_ITS_LIMITS = {"queue_limit", "queue_rate", "task_limit", "task_rate"}
OF_ITS_BUDGETS = {"requests", "units", "budget", "run_budget"}
EXPECTED = OF_THE_JOB | OF_ITS_QUEUE | OF_ITS_ENDPOINT | OF_ITS_BUDGETS | OF_ITS_LIMITS


@pytest.mark.parametrize("states", [2_500, pytest.param(10_000, marks=pytest.mark.slow)])
async def test_every_ready_job_is_either_claimable_or_explained(conn: Connection, states: int) -> None:
    await conn.execute(STOP_CLOCK)
    whole = await conn.fetchval(LANES_OF)
    await conn.execute(whole.replace("where not exists", f"where {ONLY} and not exists"))
    claimed_ever, seen = 0, Counter[str]()
    for seed in range(states // JOBS):
        async with undone(conn):
            await make_world(conn, random.Random(seed))
            claimed_ever += await check_world(conn, seed, seen)
    assert claimed_ever > states // 100, "the worlds are too bleak to tell anything"
    assert set(seen) >= EXPECTED, f"the worlds are too easy to tell anything: {EXPECTED - set(seen)}"


async def check_world(conn: Connection, seed: int, seen: Counter[str]) -> int:
    """Counts the blockers that explain named, and returns how many jobs could be claimed."""
    told = {row["id"]: row for row in await conn.fetch(EXPLAINED)}
    blocked = {job for job, row in told.items() if row["blockers"]}
    barred = {job for job in blocked if told[job]["blockers"] != ["behind"]}
    ready = {job for job, row in told.items() if row["is_ready"]}
    claimable: set[UUID] = set()
    for lane in {told[job]["lane"] for job in ready - barred}:
        claimable |= await claim_from(conn, lane)
    assert not blocked & claimable, f"seed {seed}: blocked and claimed"
    assert not ready - blocked - claimable, f"seed {seed}: neither claimable nor explained"
    # Who is behind may come first by what others do: the last permit of an endpoint calls its fallback in.
    assert not barred & await claim_everything(conn), f"seed {seed}: barred and claimed"
    seen.update(blocker for row in told.values() for blocker in row["blockers"] or ())
    return len(claimable)


async def claim_from(conn: Connection, lane: int) -> set[UUID]:
    """What one claim from that lane alone gives to whichever live worker gets anything."""
    async with undone(conn):
        await conn.execute("select set_config('holdfast_test.only', $1, true)", str(lane))
        for worker in await conn.fetch(LIVE_WORKERS):
            if claimed := await conn.fetch(CLAIM, worker["id"]):
                return {row["job_id"] for row in claimed}
        return set()


async def claim_everything(conn: Connection) -> set[UUID]:
    """What all live workers together claim from all lanes."""
    async with undone(conn):
        return {
            row["job_id"]
            for worker in await conn.fetch(LIVE_WORKERS)
            for row in await conn.fetch(CLAIM, worker["id"])
        }


@asynccontextmanager
async def undone(conn: Connection) -> AsyncIterator[None]:
    """What is done in the block leaves the world as it was."""
    trial = conn.transaction()
    await trial.start()
    try:
        yield
    finally:
        await trial.rollback()
