"""What a claim gives, to whom, and what it leaves."""

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

from holdfast.db.connect import Connection
from tests.builders import (
    a_queue,
    a_worker,
    an_open_run,
    claim,
    claim_one,
    complete,
    expire_worker,
    ready_job,
    ready_jobs,
    refusal,
    release,
    renew,
    rescue,
    scheduled_job,
    state_of,
    the_job,
)
from tests.sql.conftest import Clock


async def test_a_claimed_job_comes_with_all_that_a_handler_needs(conn: Connection) -> None:
    run = await an_open_run(conn)
    job = await ready_job(
        conn, task="greet", payload={"a": 1}, priority=7, labels={"l": 1}, order_key="k", run=run, stage="s",
        timeout=60, queue="q",
    )  # fmt: skip
    worker = await a_worker(conn, ["q"])
    (row,) = await conn.fetch("select * from holdfast.claim_jobs($1, 5)", worker)
    assert (row["job_id"], row["task"], row["queue"]) == (job, "greet", "q")
    assert json.loads(row["payload"]) == {"a": 1}
    assert json.loads(row["labels"]) == {"l": 1}
    assert (row["attempt"], row["failures"], row["losses"], row["priority"]) == (1, 0, 0, 7)
    assert (row["run"], row["stage"], row["generation"], row["visit"]) == (run, "s", 1, 1)
    assert (row["order_key"], row["stop_after"]) == ("k", timedelta(seconds=60))
    assert row["ready_at"] <= row["started_at"] + timedelta(milliseconds=1)
    stored = await the_job(conn, job)
    assert (stored["state"], stored["worker"]) == ("running", worker)


async def test_a_claim_takes_no_more_than_asked_and_no_job_twice(conn: Connection) -> None:
    made = await ready_jobs(conn, 5)
    worker = await a_worker(conn)
    first, second, third = [await claim(conn, worker, n) for n in (2, 2, 5)]
    assert [len(first), len(second), len(third)] == [2, 2, 1]
    assert sorted(job.id for job in first + second + third) == sorted(made)


async def test_jobs_of_one_claim_share_a_token_and_no_other_claim_has_it(conn: Connection) -> None:
    await ready_jobs(conn, 4)
    worker = await a_worker(conn)
    first, second = await claim(conn, worker, 2), await claim(conn, worker, 2)
    assert len({job.token for job in first}) == 1
    assert len({job.token for job in first + second}) == 2


async def test_every_claim_of_a_job_has_a_new_token_and_a_higher_attempt(conn: Connection) -> None:
    await ready_job(conn)
    worker = await a_worker(conn)
    seen = []
    for _ in range(4):
        job = await claim_one(conn, worker)
        seen.append(job)
        await release(conn, job)
    assert [job.attempt for job in seen] == [1, 2, 3, 4]
    assert len({job.token for job in seen}) == 4


async def test_a_claim_makes_ready_what_is_due(conn: Connection, clock: Clock) -> None:
    job = await scheduled_job(conn, timedelta(minutes=1))
    worker = await a_worker(conn, lease=timedelta(hours=1))
    assert await claim(conn, worker) == []
    await clock.advance(timedelta(minutes=1))
    assert (await claim_one(conn, worker)).id == job


async def test_a_worker_without_a_lease_claims_nothing(conn: Connection, clock: Clock) -> None:
    job = await ready_job(conn)
    claims = "select * from holdfast.claim_jobs($1, 1)"
    assert (await refusal(conn, claims, uuid4())).sqlstate == "HF006"
    worker = await a_worker(conn, lease=timedelta(seconds=30))
    await clock.advance(timedelta(seconds=31))
    assert (await refusal(conn, claims, worker)).sqlstate == "HF006"
    await renew(conn, worker)
    assert (await claim_one(conn, worker)).id == job


async def test_a_rescued_worker_claims_nothing_before_it_renews(conn: Connection) -> None:
    await ready_jobs(conn, 2)
    worker = await a_worker(conn)
    await claim_one(conn, worker)
    await expire_worker(conn, worker)
    await rescue(conn)
    await conn.execute("update holdfast.workers set lease_until = holdfast.now() + interval '1 minute'")
    assert (await refusal(conn, "select holdfast.claim_jobs($1, 1)", worker)).sqlstate == "HF006"


async def test_a_stopped_worker_claims_nothing(conn: Connection) -> None:
    await ready_job(conn)
    worker = await a_worker(conn)
    await conn.execute("select holdfast.stop_worker($1)", worker)
    assert (await refusal(conn, "select holdfast.claim_jobs($1, 1)", worker)).sqlstate == "HF006"


async def test_a_claim_of_no_number_is_refused(conn: Connection) -> None:
    worker = await a_worker(conn)
    for n in (None, 0, -1):
        assert (await refusal(conn, "select holdfast.claim_jobs($1, $2)", worker, n)).sqlstate == "HF002"


async def test_a_job_past_its_deadline_is_not_started(conn: Connection, clock: Clock) -> None:
    late = await ready_job(conn, deadline=await clock.now() + timedelta(seconds=10))
    good = await ready_job(conn)
    worker = await a_worker(conn, lease=timedelta(hours=1))
    await clock.advance(timedelta(seconds=20))
    assert [job.id for job in await claim(conn, worker, 5)] == [good]
    assert await state_of(conn, late) == "ready"


async def test_an_attempt_may_run_until_its_timeout_or_deadline_whichever_is_first(
    conn: Connection, clock: Clock
) -> None:
    now = await clock.now()
    cases: list[tuple[dict[str, Any], int | None]] = [
        ({}, None),
        ({"timeout": 60}, 60),
        ({"timeout": 60, "deadline": now + timedelta(hours=1)}, 60),
        ({"timeout": 7200, "deadline": now + timedelta(hours=1)}, 3600),
    ]
    for options, longest in cases:
        await ready_job(conn, **options)
        (row,) = await conn.fetch("select * from holdfast.claim_jobs($1, 1)", await a_worker(conn))
        if longest is None:
            assert row["stop_after"] is None
        else:
            assert longest - 5 < row["stop_after"].total_seconds() <= longest


async def test_a_worker_claims_only_from_its_queues(conn: Connection) -> None:
    mine = await ready_job(conn, queue="mine")
    await ready_job(conn, queue="theirs")
    assert [job.id for job in await claim(conn, await a_worker(conn, ["mine", "empty"]), 5)] == [mine]


async def test_a_claim_counts_neither_failures_nor_losses(conn: Connection) -> None:
    await a_queue(conn)
    job = await ready_job(conn)
    worker = await a_worker(conn)
    await complete(conn, await claim_one(conn, worker))
    row = await the_job(conn, job)
    assert (row["attempt"], row["failures"], row["losses"], row["deferrals"]) == (1, 0, 0, 0)
