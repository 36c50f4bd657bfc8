"""Calls that take many unique keys at once: overlapping, in any order, undone, and while keys are freed."""

import asyncio
from random import Random

import asyncpg
import pytest

from holdfast.db.connect import Connection
from tests.builders import cancel, ready_job, state_of, to_json
from tests.machine.invariants import violations
from tests.race.crowd import Crowd

KEYS = [f"key {n}" for n in range(30)]
PRODUCERS, CALLS, MOST = 6, 40, 12
ENQUEUE = """
select job_id, created from holdfast.enqueue_jobs(array['t'], $1::json[], '{"notify": false}', $2::jsonb[])
"""
# A key that stands for a job which is not there, or for another one than its own.
STRAY = """
select k.key
from holdfast.unique_keys as k
left join holdfast.jobs as j on j.id = k.job_id
where k.until_end and (j.id is null or j.unique_key is distinct from k.key)
"""
TWICE = "select unique_key from holdfast.jobs where unique_key is not null group by 1 having count(*) > 1"
KEYLESS = """
select j.id
from holdfast.jobs as j
where j.unique_key is not null
  and not exists (select from holdfast.unique_keys as k where k.job_id = j.id and k.key = j.unique_key)
"""


async def enqueue(conn: Connection, keys: list[str]) -> list[asyncpg.Record]:
    return await conn.fetch(ENQUEUE, ["{}"] * len(keys), [to_json({"unique_key": key}) for key in keys])


async def produce(crowd: Crowd, seed: int) -> None:
    """Half of its calls are undone; between them it ends jobs, which frees their keys."""
    chance, conn = Random(f"key sets {seed}"), await crowd.join()
    for _ in range(CALLS):
        transaction = conn.transaction()
        await transaction.start()
        rows = await enqueue(conn, chance.choices(KEYS, k=chance.randint(1, MOST)))
        if chance.random() < 0.5:
            await transaction.rollback()
            continue
        await transaction.commit()
        for job in chance.sample([row["job_id"] for row in rows], k=len(rows) // 2):
            await cancel(conn, job)


async def test_calls_with_overlapping_keys_neither_deadlock_nor_make_two_jobs_of_a_key(crowd: Crowd) -> None:
    async with asyncio.TaskGroup() as group:
        for seed in range(PRODUCERS):
            group.create_task(produce(crowd, seed))
    for query in (STRAY, TWICE, KEYLESS):
        assert await crowd.watcher.fetch(query) == [], query
    assert not await violations(crowd.watcher)


@pytest.mark.parametrize("commit", [True, False], ids=["commits", "is undone"])
async def test_a_call_waits_for_another_that_takes_one_of_its_keys(crowd: Crowd, commit: bool) -> None:
    async def take(conn: Connection) -> list[asyncpg.Record]:
        return await enqueue(conn, ["z", "m", "a"])

    first, second = await crowd.interleave(lambda conn: enqueue(conn, ["m", "n"]), take, commit=commit)
    assert [row["created"] for row in second] == [True, not commit, True]
    assert (second[1]["job_id"] == first[0]["job_id"]) == commit


async def test_a_key_that_is_freed_while_a_call_waits_for_another_key_is_taken(crowd: Crowd) -> None:
    """The call has skipped the first key by then; it gives all keys back and takes them one by one."""
    old = await ready_job(crowd.watcher, unique_key="a", task="t")

    holder, comer, other = await crowd.join(), await crowd.join(), await crowd.join()
    transaction = holder.transaction()
    await transaction.start()
    await ready_job(holder, unique_key="m", task="t")
    coming = asyncio.ensure_future(enqueue(comer, ["a", "m", "z"]))
    await crowd.until_waits_or_passes(comer, coming)
    assert await cancel(other, old) == "cancelled"
    await transaction.rollback()
    rows = await coming
    assert [row["created"] for row in rows] == [True, True, True]
    assert old not in {row["job_id"] for row in rows}
    assert {await state_of(crowd.watcher, row["job_id"]) for row in rows} == {"ready"}
    assert not await violations(crowd.watcher)
