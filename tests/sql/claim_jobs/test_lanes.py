"""Lanes: paused queues, groups, endpoints and weights."""

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    a_queue,
    a_worker,
    claim,
    claim_one,
    ready_job,
    ready_jobs,
    refusal,
    release,
    snooze,
)


async def test_a_paused_queue_gives_nothing_and_others_go_on(conn: Connection) -> None:
    paused = await ready_job(conn, queue="paused")
    open_ = await ready_job(conn, queue="open")
    await conn.execute("select holdfast.pause_queue('paused', 'too hot', 'Ada')")
    worker = await a_worker(conn, ["paused", "open"])
    assert [job.id for job in await claim(conn, worker, 5)] == [open_]
    await conn.execute("select holdfast.resume_queue('paused', null, 'Ada')")
    assert [job.id for job in await claim(conn, worker, 5)] == [paused]


async def test_a_pause_lets_running_jobs_finish(conn: Connection) -> None:
    await ready_job(conn)
    worker = await a_worker(conn)
    job = await claim_one(conn, worker)
    await conn.execute("select holdfast.pause_queue('default')")
    assert await release(conn, job)
    assert await claim(conn, worker) == []


async def test_a_job_for_a_group_is_claimed_by_its_workers_alone(conn: Connection) -> None:
    grouped = await ready_job(conn, group="gpu")
    free = await ready_job(conn)
    assert [job.id for job in await claim(conn, await a_worker(conn), 5)] == [free]
    assert await claim(conn, await a_worker(conn, group="cpu"), 5) == []
    assert [job.id for job in await claim(conn, await a_worker(conn, group="gpu"), 5)] == [grouped]


async def test_a_worker_of_a_group_also_claims_what_names_none(conn: Connection) -> None:
    made = {await ready_job(conn, group="gpu"), await ready_job(conn)}
    assert {job.id for job in await claim(conn, await a_worker(conn, group="gpu"), 5)} == made


async def test_jobs_of_one_queue_with_different_endpoints_are_all_found(conn: Connection) -> None:
    made = {await ready_job(conn, endpoint=name) for name in ("a", "b")} | {await ready_job(conn)}
    assert {job.id for job in await claim(conn, await a_worker(conn), 5)} == made


async def first_looks(conn: Connection, **info: Any) -> Counter[str]:
    await a_queue(conn, "heavy", weight=9)
    await a_queue(conn, "light", weight=1)
    for queue in ("heavy", "light"):
        await ready_jobs(conn, 3, queue=queue)
    worker = await a_worker(conn, ["heavy", "light"], **info)
    seen: Counter[str] = Counter()
    for _ in range(200):
        job = await claim_one(conn, worker)
        seen[await conn.fetchval("select queue from holdfast.jobs where id = $1", job.id)] += 1
        await snooze(conn, job, timedelta(0))
    return seen


async def test_lanes_are_visited_in_proportion_to_their_weight(conn: Connection) -> None:
    seen = await first_looks(conn)
    assert 150 < seen["heavy"] < 200  # 180 expected; five standard deviations are 21


async def test_a_workers_own_weights_win(conn: Connection) -> None:
    seen = await first_looks(conn, weights={"heavy": 1, "light": 9})
    assert 150 < seen["light"] < 200


@pytest.mark.parametrize(
    "weights", ['{"a": 0}', '{"a": -1}', '{"a": "x"}', '{"a": null}', '{"a": 1e-300}', "[1]"]
)
async def test_weights_that_would_fail_every_claim_are_refused(conn: Connection, weights: str) -> None:
    register = "select holdfast.register_worker(gen_random_uuid(), array['a'], $1)"
    assert (await refusal(conn, register, f'{{"weights": {weights}}}')).sqlstate == "HF002"
