"""A run ends once, when it is sealed and its last job has ended; then its on_complete is enqueued once."""

import asyncio
import json

import asyncpg
from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import (
    a_queue,
    a_sealed_run,
    a_worker,
    an_open_run,
    cancel,
    claim,
    claim_one,
    complete,
    fail,
    ready_job,
    running_job,
    settle,
    the_run,
)


async def close(conn: Connection) -> int:
    ended: int = await conn.fetchval("select holdfast.close_runs()")
    return ended


async def followers(conn: Connection) -> list[Record]:
    return await conn.fetch("select * from holdfast.job_view where task = 'after' order by id")


async def test_a_run_ends_with_its_last_job_and_not_before(conn: Connection) -> None:
    run, _ = await a_sealed_run(conn, 3)
    jobs = await claim(conn, await a_worker(conn), 3)
    for n, job in enumerate(jobs):
        assert await close(conn) == 0
        assert (await the_run(conn, run))["state"] == "sealed", n
        await complete(conn, job)
    assert await close(conn) == 1
    row = await the_run(conn, run)
    assert (row["state"], row["total"], row["completed"]) == ("ended", 3, 3)
    assert await close(conn) == 0


async def test_every_end_counts_in_its_column(conn: Connection) -> None:
    run, ids = await a_sealed_run(conn, 5)
    await cancel(conn, ids[4])
    a, b, c, d = await claim(conn, await a_worker(conn), 4)
    await complete(conn, a)
    await settle(conn, b, "reject")
    await fail(conn, c, "permanent")
    await fail(conn, d, "transient")
    assert await close(conn) == 0
    row = await the_run(conn, run)
    assert (row["total"], row["completed"], row["rejected"], row["cancelled"], row["dead"]) == (5, 1, 1, 1, 1)


async def test_counts_are_right_before_and_after_folding(conn: Connection) -> None:
    run, _ = await a_sealed_run(conn, 2)
    await complete(conn, await claim_one(conn, await a_worker(conn)))
    before = dict(await the_run(conn, run))
    await close(conn)
    assert dict(await the_run(conn, run)) == before
    assert await conn.fetchval("select count(*) from holdfast.run_deltas") == 0


async def test_an_open_run_does_not_end(conn: Connection) -> None:
    run = await an_open_run(conn)
    await ready_job(conn, run=run)
    await complete(conn, await claim_one(conn, await a_worker(conn)))
    assert await close(conn) == 0
    assert (await the_run(conn, run))["state"] == "open"
    assert await conn.fetchval("select holdfast.seal_run($1)", run) is True
    assert (await the_run(conn, run))["state"] == "ended"


async def test_what_follows_is_enqueued_once_with_its_options(conn: Connection) -> None:
    after = {"task": "after", "payload": {"a": 1}, "queue": "later", "priority": 3}
    await a_sealed_run(conn, 1, on_complete=after)
    await complete(conn, await claim_one(conn, await a_worker(conn)))
    for _ in range(3):
        await close(conn)
    (job,) = await followers(conn)
    assert (json.loads(job["payload"]), job["queue"], job["priority"]) == ({"a": 1}, "later", 3)
    assert job["run"] is None


async def test_what_follows_learns_its_run_if_it_has_no_payload(conn: Connection) -> None:
    run, _ = await a_sealed_run(conn, 0, on_complete={"task": "after"})
    (job,) = await followers(conn)
    assert json.loads(job["payload"]) == {"run": str(run)}


async def test_what_follows_and_is_refused_by_then_does_not_keep_other_runs_from_ending(
    conn: Connection,
) -> None:
    await a_queue(conn, "small")
    bad, _ = await a_sealed_run(
        conn, 1, on_complete={"task": "after", "queue": "small", "payload": "x" * 100}
    )
    good, _ = await a_sealed_run(conn, 1, on_complete={"task": "after"})
    await a_queue(conn, "small", payload_limit=10)
    for job in await claim(conn, await a_worker(conn), 2):
        await complete(conn, job)
    assert await close(conn) == 2
    (following,) = await followers(conn)
    assert json.loads(following["payload"]) == {"run": str(good)}
    (event,) = await conn.fetch("select * from holdfast.events where cause = 'on_complete_refused'")
    assert event["run_id"] == bad
    assert "allows only 10" in event["reason"]


async def test_several_runs_fold_in_one_call(conn: Connection) -> None:
    runs = [(await a_sealed_run(conn, 2))[0] for _ in range(5)]
    for job in await claim(conn, await a_worker(conn), 20):
        await complete(conn, job)
    assert await close(conn) == 5
    assert {(await the_run(conn, run))["state"] for run in runs} == {"ended"}


async def test_many_closers_end_a_run_once(database_url: str) -> None:
    conn = await asyncpg.connect(database_url)
    run, _ = await a_sealed_run(conn, 10, on_complete={"task": "after"})
    jobs = await claim(conn, await a_worker(conn), 10)

    async def end_and_close(n: int) -> int:
        mine = await asyncpg.connect(database_url)
        await complete(mine, jobs[n])
        ended = await close(mine)
        await mine.close()
        return ended

    counts = await asyncio.gather(*(end_and_close(n) for n in range(10)))
    total = sum(counts) + await close(conn)
    assert total == 1
    assert len(await followers(conn)) == 1
    row = await the_run(conn, run)
    assert (row["state"], row["total"], row["completed"]) == ("ended", 10, 10)
    await conn.close()


async def test_neither_an_enqueue_nor_an_end_touches_the_row_of_a_run(conn: Connection) -> None:
    """A hot row would make every worker wait for whoever has an open transaction on it."""
    version = "select xmin::text, ctid::text, total, completed from holdfast.runs where id = $1"
    run = await an_open_run(conn)
    before = await conn.fetchrow(version, run)
    job = await running_job(conn, run=run)
    await complete(conn, job)
    assert await conn.fetchrow(version, run) == before
    await conn.execute("select holdfast.close_runs()")
    assert await conn.fetchrow(version, run) != before
