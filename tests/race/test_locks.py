"""Who may keep a maintenance task from being done: nobody for rescue, and of the others only a round of the
same.
"""

import asyncio

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    a_worker,
    an_open_run,
    cancel,
    claim,
    expire_worker,
    ready_job,
    ready_jobs,
    rescue,
    running_job,
    settle,
    to_json,
)
from tests.machine.invariants import violations
from tests.patience import PATIENCE
from tests.race.crowd import Crowd

ALONE = {
    "prune": "select jobs from holdfast.prune_jobs()",
    "prune_endpoints": "select holdfast.prune_endpoints()",
    "mark_lanes": "select holdfast.mark_lanes()",
    "summarise_ends": "select holdfast.summarise_ends()",
    "sample_depths": "select holdfast.sample_depths()",
}
KEYS = ["rescue_jobs", "prune_jobs", "prune_endpoints", "mark_lanes", "summarise_ends"]
PAST_DEADLINE = """
update holdfast.jobs set deadline = holdfast.now() - interval '1 minute' where state in ('waiting', 'ready')
"""
BY_PARENTS = "select count(*) from holdfast.history where reason = 'its parent has ended'"
HELD_BY = "select held_by from holdfast.maintenance_view where name = $1"


async def abandoned_job(conn: Connection) -> None:
    worker = await a_worker(conn)
    await ready_job(conn)
    assert len(await claim(conn, worker, 1)) == 1
    await expire_worker(conn, worker)


async def overdue_work(conn: Connection) -> None:
    """One job for each part of a rescue: lost, past its time, deaf to a cancel, past its deadline."""
    await abandoned_job(conn)
    worker = await a_worker(conn)
    await ready_jobs(conn, 2)
    late, deaf = await claim(conn, worker, 2)
    await conn.execute(
        "update holdfast.jobs set stop_at = holdfast.now() - interval '1 minute' where id = $1", late.id
    )
    await cancel(conn, deaf.id)
    await conn.execute(
        "update holdfast.jobs set cancel_asked_at = holdfast.now() - interval '1 hour' where id = $1", deaf.id
    )
    expired = await ready_job(conn)
    await conn.execute(
        "update holdfast.jobs set deadline = holdfast.now() - interval '1 minute' where id = $1", expired
    )


ALL_FOUR = {"recovered": 1, "dead": 0, "timed_out": 1, "cancelled": 1, "expired": 1, "runs": 0}


async def test_a_login_that_guesses_the_name_of_a_lock_cannot_stop_a_maintenance_task(crowd: Crowd) -> None:
    stranger = await crowd.join()
    for key in KEYS:
        await stranger.execute("select pg_advisory_lock(hashtextextended($1, 0))", f"holdfast.{key}")
    await overdue_work(crowd.watcher)
    assert dict(await rescue(crowd.watcher)) == ALL_FOUR
    await crowd.watcher.execute(
        'insert into holdfast.endpoints (name, "limit", before, slow_start_until, last_cut, ceiling_until,'
        " next_trial, open_until, open_for, last_probe, last_ok, blocked_until, rate_clock, delivered_at)"
        " values ('old', 2, 2, 64, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0);"
        " insert into holdfast.endpoint_seconds (endpoint, second) values ('old', 1)"
    )
    assert await crowd.watcher.fetchval(ALONE["prune_endpoints"]) == 1


async def test_an_open_transaction_after_a_rescue_keeps_no_other_from_rescuing(crowd: Crowd) -> None:
    await overdue_work(crowd.watcher)
    holder, other = await crowd.join(), await crowd.join()
    transaction = holder.transaction()
    await transaction.start()
    assert dict(await rescue(holder)) == ALL_FOUR
    await overdue_work(crowd.watcher)
    async with asyncio.timeout(PATIENCE):
        assert dict(await rescue(other)) == ALL_FOUR
    await transaction.commit()
    assert sum(dict(await rescue(other)).values()) == 0
    assert not await violations(crowd.watcher)


@pytest.mark.parametrize("commit", [True, False])
async def test_what_an_undone_rescue_had_taken_is_taken_by_the_next(crowd: Crowd, commit: bool) -> None:
    await overdue_work(crowd.watcher)
    first, second = await crowd.interleave(rescue, rescue, commit=commit)
    assert dict(first) == ALL_FOUR
    assert sum(dict(second).values()) == 0
    third = dict(await rescue(crowd.watcher))
    assert third == (dict.fromkeys(ALL_FOUR, 0) if commit else ALL_FOUR)
    assert not await violations(crowd.watcher)


@pytest.mark.parametrize("seed", range(3))
async def test_rescues_at_once_take_all_that_is_due_once(crowd: Crowd, seed: int) -> None:
    """Jobs of all four kinds, in families, with order keys and runs, so that their ends touch others."""
    for _ in range(8):
        await overdue_work(crowd.watcher)
        await expired_family(crowd.watcher)
    run = await an_open_run(crowd.watcher)
    await ready_jobs(crowd.watcher, 20, run=str(run), order_key=f"order {seed}")
    await ready_jobs(crowd.watcher, 20, run=str(run))
    await crowd.watcher.execute(PAST_DEADLINE)
    due = await crowd.watcher.fetchval("select count(*) from holdfast.jobs")
    conns = [await crowd.join() for _ in range(5)]

    async def sweep(conn: Connection) -> int:
        ended = 0
        for _ in range(4):
            counts = await rescue(conn)
            ended += counts["dead"] + counts["cancelled"] + counts["expired"]
        return ended

    ended = sum(await asyncio.gather(*map(sweep, conns)))
    left = await crowd.watcher.fetchval("select count(*) from holdfast.jobs")
    by_parents = await crowd.watcher.fetchval(BY_PARENTS)
    assert ended + by_parents + left == due
    assert await crowd.watcher.fetchval("select count(*) from holdfast.history") == ended + by_parents
    assert not await violations(crowd.watcher)


async def expired_family(conn: Connection) -> None:
    """A parent past its deadline that waits for two children, of which one is past its own."""
    parent = await running_job(conn, queue="parents")
    await conn.fetchval(
        "select holdfast.spawn_children($1, $2, 'k', array['kid'], array['1', '2']::json[], $3::jsonb)",
        *(parent.id, parent.token, to_json({"queue": "kids"})),
    )
    assert await settle(conn, parent, "wait", {"for": "children:k"})


@pytest.mark.parametrize("task", sorted(ALONE))
async def test_a_round_that_another_keeps_from_being_done_says_so_and_by_whom(
    crowd: Crowd, task: str
) -> None:
    await crowd.watcher.execute("select holdfast.record_maintenance($1)", [task])
    holder, other = await crowd.join(), await crowd.join()
    transaction = holder.transaction()
    await transaction.start()
    assert await holder.fetchval(ALONE[task]) == 0
    async with asyncio.timeout(PATIENCE):
        assert await other.fetchval(ALONE[task]) is None
        assert await crowd.watcher.fetchval(HELD_BY, task) == holder.get_server_pid()
        await other.execute("select holdfast.record_maintenance($1)", [task])
    await transaction.commit()
    assert await crowd.watcher.fetchval(HELD_BY, task) is None
    assert await other.fetchval(ALONE[task]) == 0
