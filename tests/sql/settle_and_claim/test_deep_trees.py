"""The end of a parent takes its whole tree with it, level by level, and in bounded transactions."""

import pytest

from holdfast.db.connect import Connection
from tests.builders import Running, a_worker, cancel, claim_one, fail, running_job, settle, state_of

DEPTH = 400
SPAWN = """
select holdfast.spawn_children($1, $2, 'kids', array['kid'], array_fill('1'::json, array[$3::integer]))
"""

FAIL_TWO = """
select holdfast.settle_and_claim(
  $1, 0, $2, $3, array['fail', 'fail'], array_fill(null::json, array[2]),
  array_fill('{"class": "permanent", "message": "it broke"}'::jsonb, array[2]))
"""


async def a_chain(conn: Connection, depth: int) -> list[Running]:
    """Each job waits for its only child; the last one runs."""
    chain = [await running_job(conn)]
    for _ in range(depth - 1):
        parent = chain[-1]
        await conn.execute(SPAWN, parent.id, parent.token, 1)
        assert await settle(conn, parent, "wait", {"for": "children:kids"})
        chain.append(await claim_one(conn, await a_worker(conn)))
    return chain


@pytest.mark.slow
async def test_a_deep_tree_is_cancelled_from_its_root(conn: Connection) -> None:
    chain = await a_chain(conn, DEPTH)
    assert await cancel(conn, chain[0].id) == "cancelled"
    assert await conn.fetchval("select count(*) from holdfast.jobs where cancel_asked_at is null") == 0
    assert [job["id"] for job in await conn.fetch("select id from holdfast.jobs")] == [chain[-1].id]


async def test_a_dead_parent_takes_three_generations_with_it_in_one_commit(conn: Connection) -> None:
    chain = await a_chain(conn, 4)
    parent = chain[2]
    await conn.execute("update holdfast.jobs set deadline = '2000-01-01Z' where id = $1", chain[0].id)
    await conn.execute("select holdfast.rescue_jobs()")
    assert await state_of(conn, chain[0].id) == "dead"
    assert [await state_of(conn, job.id) for job in chain[1:3]] == ["cancelled", "cancelled"]
    assert await conn.fetchval(
        "select cancel_asked_at is not null from holdfast.jobs where id = $1", chain[3].id
    )
    assert not await fail(conn, parent), "its token is outdated"


async def test_the_runs_of_a_cancelled_tree_end_with_the_next_sweep(conn: Connection) -> None:
    chain = await a_chain(conn, 3)
    await cancel(conn, chain[0].id)
    assert await settle(conn, chain[-1], "cancel")
    await conn.execute("select holdfast.close_runs()")
    ended = await conn.fetch("select total, cancelled, ended_at is not null as has_ended from holdfast.runs")
    assert [tuple(row) for row in ended] == [(1, 1, True)] * 2
    assert await conn.fetchval("select count(*) from holdfast.check_invariants()") == 0


async def test_a_family_larger_than_one_transaction_is_cancelled_by_the_sweeps(conn: Connection) -> None:
    parent = await running_job(conn)
    await conn.execute(SPAWN, parent.id, parent.token, 10_001)
    assert await fail(conn, parent, error_class="permanent")
    assert await conn.fetchval("select count(*) from holdfast.jobs") == 1
    await conn.execute("select holdfast.close_runs()")
    assert await conn.fetchval("select count(*) from holdfast.jobs") == 0
    await conn.execute("select holdfast.close_runs()")
    assert await conn.fetchval("select cancelled from holdfast.runs where ended_at is not null") == 10_001


async def test_the_families_of_jobs_that_end_together_share_that_limit(conn: Connection) -> None:
    worker = await a_worker(conn)
    parents = [await running_job(conn, worker=worker) for _ in range(2)]
    for parent in parents:
        await conn.execute(SPAWN, parent.id, parent.token, 6_000)
    ids, tokens = [parent.id for parent in parents], [parent.token for parent in parents]
    await conn.execute(FAIL_TWO, worker, ids, tokens)
    assert await conn.fetchval("select count(*) from holdfast.jobs") == 2_000
    await conn.execute("select holdfast.close_runs()")
    assert await conn.fetchval("select count(*) from holdfast.jobs") == 0


async def test_children_that_an_earlier_cancel_left_go_with_their_parent(conn: Connection) -> None:
    parent = await running_job(conn)
    await conn.execute(SPAWN, parent.id, parent.token, 3)
    run = await conn.fetchval("select id from holdfast.runs")
    assert await conn.fetchval("select holdfast.cancel_run($1, max => 1)", run) == 1
    await conn.execute("select holdfast.close_runs()")
    assert await fail(conn, parent, "permanent")
    assert await conn.fetchval("select count(*) from holdfast.jobs") == 0
