"""A run starts again: its dead jobs, or all; it ends anew, and what follows is enqueued once more."""

from datetime import timedelta
from uuid import UUID

from holdfast.db.connect import Connection
from tests.builders import (
    a_sealed_run,
    a_worker,
    claim,
    complete,
    fail,
    refusal,
    replay,
    state_of,
    the_run,
)
from tests.sql.conftest import Clock

REPLAY = "select holdfast.replay_run($1, $2, 'again', 'Ada')"
FOLLOWERS = "select count(*) from holdfast.jobs where task = 'after'"


async def an_ended_run(conn: Connection, worker: UUID) -> tuple[UUID, list[UUID]]:
    """Three jobs: one completed, two dead. What follows goes to a queue of its own."""
    run, ids = await a_sealed_run(conn, 3, on_complete={"task": "after", "queue": "after"})
    a, b, c = await claim(conn, worker, 3)
    await complete(conn, a)
    await fail(conn, b, "permanent")
    await fail(conn, c, "permanent")
    assert await conn.fetchval("select holdfast.close_runs()") == 1
    return run, ids


async def test_dead_jobs_run_again_and_the_run_ends_anew(conn: Connection) -> None:
    worker = await a_worker(conn)
    run, _ = await an_ended_run(conn, worker)
    assert await conn.fetchval(REPLAY, run, "dead") == 2
    row = await the_run(conn, run)
    assert (row["state"], row["total"], row["completed"], row["dead"], row["generation"]) == (
        "sealed", 3, 1, 0, 2,
    )  # fmt: skip
    assert await conn.fetchval(REPLAY, run, "dead") == 0
    for job in await claim(conn, worker, 5):
        await complete(conn, job)
    assert await conn.fetchval("select holdfast.close_runs()") == 1
    row = await the_run(conn, run)
    assert (row["state"], row["completed"], row["dead"]) == ("ended", 3, 0)
    assert await conn.fetchval(FOLLOWERS) == 2


async def test_all_jobs_can_run_again(conn: Connection) -> None:
    run, ids = await an_ended_run(conn, await a_worker(conn))
    assert await conn.fetchval(REPLAY, run, "all") == 3
    assert {await state_of(conn, job) for job in ids} == {"ready"}
    row = await the_run(conn, run)
    assert (row["total"], row["completed"], row["dead"]) == (3, 0, 0)


async def test_a_replay_before_the_end_enqueues_what_follows_once(conn: Connection) -> None:
    worker = await a_worker(conn)
    run, _ = await a_sealed_run(conn, 2, on_complete={"task": "after", "queue": "after"})
    a, b = await claim(conn, worker, 2)
    await fail(conn, a, "permanent")
    assert await conn.fetchval(REPLAY, run, "dead") == 1
    await complete(conn, b)
    await conn.execute("select holdfast.close_runs()")
    assert (await the_run(conn, run))["state"] == "sealed"
    for job in await claim(conn, worker, 5):
        await complete(conn, job)
    await conn.execute("select holdfast.close_runs()")
    assert await conn.fetchval(FOLLOWERS) == 1


async def test_a_job_replayed_alone_that_died_after_the_runs_end_is_still_its_job(conn: Connection) -> None:
    worker = await a_worker(conn)
    run, _ = await an_ended_run(conn, worker)
    (dead, *_) = await conn.fetch("select id from holdfast.history where state = 'dead'")
    await replay(conn, dead["id"])
    (job,) = await claim(conn, worker)
    await fail(conn, job, "permanent")
    await conn.execute("select holdfast.close_runs()")
    row = await the_run(conn, run)
    assert (row["state"], row["dead"], row["total"]) == ("ended", 2, 3)
    assert await conn.fetchval(REPLAY, run, "dead") == 2


async def test_nothing_to_replay_leaves_the_run_ended(conn: Connection) -> None:
    worker = await a_worker(conn)
    run, _ = await a_sealed_run(conn, 1)
    (job,) = await claim(conn, worker)
    await complete(conn, job)
    await conn.execute("select holdfast.close_runs()")
    assert await conn.fetchval(REPLAY, run, "dead") == 0
    assert (await the_run(conn, run))["state"] == "ended"


async def test_calls_with_the_same_moment_replay_no_job_twice(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn)
    run, _ = await a_sealed_run(conn, 2)
    for job in await claim(conn, worker, 2):
        await complete(conn, job)
    await clock.advance(timedelta(seconds=1))
    call = "select holdfast.replay_run($1, 'all', max => 1, before => $2)"
    before = await clock.now()
    replayed = set()
    while await conn.fetchval(call, run, before):
        (job,) = await claim(conn, worker, 2)
        await complete(conn, job)
        assert job.id not in replayed
        replayed.add(job.id)
    assert len(replayed) == 2


async def test_only_dead_or_all_can_be_said(conn: Connection) -> None:
    run, _ = await an_ended_run(conn, await a_worker(conn))
    assert (await refusal(conn, REPLAY, run, "some")).sqlstate == "HF002"
