"""Every function of the db layer against the real verbs: arguments arrive, rows come back as objects."""

import json
from datetime import timedelta
from uuid import uuid4

import asyncpg
import pytest
from asyncpg import Record

from holdfast.db import dead, jobs, maintenance, queues, runs, transaction, worker, worker_list
from holdfast.db.clock import now
from holdfast.model.error import InvalidPayload, LeaseLost, UniqueConflict
from holdfast.model.id import JobId, RunId, Token, WorkerId
from holdfast.model.job import ClaimedJob
from holdfast.model.outcome import (
    Completed,
    End,
    ErrorClass,
    ErrorReport,
    Failed,
    Rejected,
    Released,
    Snoozed,
    end_of,
)
from holdfast.model.payload import JsonText, encode
from holdfast.model.progress_report import NotReported
from holdfast.model.queue import CancelResult, ReplayResult
from holdfast.model.retry import PRESETS
from holdfast.model.run_progress import Which
from holdfast.model.state import State
from holdfast.model.worker import LostEnd


async def registered_worker(conn: "asyncpg.Connection[Record]") -> WorkerId:
    me = WorkerId(uuid4())
    await worker.register_worker(conn, me, ["default"], {"slots": 10, "host": "here", "pid": 1})
    return me


async def running_job(conn: "asyncpg.Connection[Record]", me: WorkerId) -> ClaimedJob:
    await jobs.enqueue_jobs(conn, ["greet"], [encode({"name": "Ada"})])
    (job,) = await worker.claim_jobs(conn, me, 1)
    return job


async def settle(
    conn: "asyncpg.Connection[Record]", me: WorkerId, job: ClaimedJob, end: End
) -> list[LostEnd]:
    return (await worker.settle_and_claim(conn, me, 0, [job.id], [job.token], [end])).lost


async def state_of(conn: "asyncpg.Connection[Record]", job_id: JobId) -> State:
    job = await jobs.get_job(conn, job_id)
    assert job is not None
    return job.state


async def test_a_payload_goes_in_and_comes_back_equal(conn: "asyncpg.Connection[Record]") -> None:
    payload = {
        "text": "ü😀\\u0000",
        "numbers": [1, -0.0, 1.7e308, 5e-324, 10**399, 0.1],
        "nested": {"a": [None, True]},
    }
    await jobs.enqueue_jobs(conn, ["t"], [encode(payload)], {"labels": {"a": "b"}, "priority": 70})
    (job,) = await worker.claim_jobs(conn, await registered_worker(conn), 5)
    assert repr(job.payload) == repr(payload)
    assert (job.task, job.queue, job.attempt, job.priority) == ("t", "default", 1, 70)
    assert job.labels == {"a": "b"}


async def test_options_for_all_and_for_each_job_arrive_in_order(conn: "asyncpg.Connection[Record]") -> None:
    payloads = [encode(n) for n in range(3)]
    made = await jobs.enqueue_jobs(
        conn, ["a", "b", "c"], payloads, {"queue": "q"}, [None, {"delay": 60}, {"priority": 1}]
    )
    assert all(one.created for one in made)
    stored = [await jobs.get_job(conn, one.id) for one in made]
    assert [job and (job.task, job.queue, job.payload, job.state) for job in stored] == [
        ("a", "q", 0, State.READY),
        ("b", "q", 1, State.SCHEDULED),
        ("c", "q", 2, State.READY),
    ]


async def test_a_unique_key_gives_the_same_job_and_another_payload_a_conflict(
    conn: "asyncpg.Connection[Record]",
) -> None:
    (first,) = await jobs.enqueue_jobs(conn, ["t"], [encode(1)], {"unique_key": "k"})
    (second,) = await jobs.enqueue_jobs(conn, ["t"], [encode(1)], {"unique_key": "k"})
    assert (second.id, first.created, second.created) == (first.id, True, False)
    with pytest.raises(UniqueConflict):
        await jobs.enqueue_jobs(conn, ["t"], [encode(2)], {"unique_key": "k"})


async def test_a_payload_that_only_the_database_refuses_has_its_path(
    conn: "asyncpg.Connection[Record]",
) -> None:
    with pytest.raises(InvalidPayload) as caught:
        await jobs.enqueue_jobs(conn, ["t"], [JsonText('{"a": [1, "\\u0000"]}')])
    assert "$.a[1]" in caught.value.path + caught.value.message


async def test_settling_and_claiming_share_one_call(conn: "asyncpg.Connection[Record]") -> None:
    me = await registered_worker(conn)
    job = await running_job(conn, me)
    await jobs.enqueue_jobs(conn, ["next"], [encode(None)])
    end = end_of(Completed(encode({"hello": "Ada"}), 3.5))
    answer = await worker.settle_and_claim(conn, me, 5, [job.id], [job.token], [end])
    assert [claimed.task for claimed in answer.claimed] == ["next"]
    assert (answer.lost, answer.lapsed) == ([], False)
    ended = await jobs.get_job(conn, job.id)
    assert ended is not None
    assert (ended.state, ended.output, ended.payload) == (State.COMPLETED, {"hello": "Ada"}, {"name": "Ada"})
    assert ended.is_ended


async def test_an_idle_worker_learns_when_the_next_job_is_due(conn: "asyncpg.Connection[Record]") -> None:
    me = await registered_worker(conn)
    await jobs.enqueue_jobs(conn, ["t"], [encode(1)], {"delay": 60})
    answer = await worker.settle_and_claim(conn, me, 1, [], [], [])
    assert answer.claimed == []
    assert answer.due_in is not None
    assert timedelta(seconds=55) < answer.due_in <= timedelta(seconds=60)


async def test_a_worker_without_a_lease_is_told_that_it_lapsed(conn: "asyncpg.Connection[Record]") -> None:
    answer = await worker.settle_and_claim(conn, WorkerId(uuid4()), 1, [], [], [])
    assert answer.lapsed


async def test_an_end_with_a_stale_token_is_reported_as_lost(conn: "asyncpg.Connection[Record]") -> None:
    me = await registered_worker(conn)
    job = await running_job(conn, me)
    stale = Token(uuid4())
    answer = await worker.settle_and_claim(conn, me, 0, [job.id], [stale], [end_of(Completed())])
    assert answer.lost == [LostEnd(job.id, stale)]
    await transaction.mark(conn, stale)
    with pytest.raises(LeaseLost):
        await transaction.complete_in_transaction(conn, job.id, stale, None)
    # The failed statement ended this test's transaction, which is rolled back in any case.


@pytest.mark.parametrize(
    ("end", "state"),
    [
        (end_of(Failed(ErrorReport(ErrorClass.TRANSIENT, "E", "m"))), State.SCHEDULED),
        (end_of(Failed(ErrorReport(ErrorClass.PERMANENT, "E", "m", "tb", "p"))), State.DEAD),
        (end_of(Snoozed(timedelta(minutes=5), "later")), State.SCHEDULED),
        (end_of(Released("drain")), State.READY),
        (end_of(Rejected("spam", JsonText("1"))), State.REJECTED),
    ],
)
async def test_every_other_end_arrives(conn: "asyncpg.Connection[Record]", end: End, state: State) -> None:
    me = await registered_worker(conn)
    job = await running_job(conn, me)
    assert await settle(conn, me, job, end) == []
    assert await state_of(conn, job.id) is state


async def test_a_failure_leaves_its_attempt_and_a_death_its_letter(
    conn: "asyncpg.Connection[Record]",
) -> None:
    me = await registered_worker(conn)
    job = await running_job(conn, me)
    error = ErrorReport(ErrorClass.PERMANENT, "ValueError", "no", "the traceback", "f.py:1 in f")
    await settle(conn, me, job, end_of(Failed(error)))
    (attempt,) = await jobs.list_attempts(conn, job.id)
    assert (attempt.outcome, attempt.error_class, attempt.error_type) == ("failed", "permanent", "ValueError")
    assert (attempt.message, attempt.traceback, attempt.place) == ("no", "the traceback", "f.py:1 in f")
    (letter,) = (await dead.find_letters(conn, {})).items
    assert (letter.job, letter.status, letter.error_type) == (job.id, "open", "ValueError")


async def test_a_job_completes_in_the_callers_transaction(conn: "asyncpg.Connection[Record]") -> None:
    job = await running_job(conn, await registered_worker(conn))
    await transaction.mark(conn, job.token)
    mark = await transaction.complete_in_transaction(conn, job.id, job.token, encode(7))
    assert (mark, await state_of(conn, job.id)) == (transaction.Mark.OPEN, State.COMPLETED)
    assert await conn.fetchval("show holdfast.transaction") == "", "the session is left as it was"


async def test_a_job_does_not_complete_in_a_transaction_that_was_not_marked(
    conn: "asyncpg.Connection[Record]",
) -> None:
    job = await running_job(conn, await registered_worker(conn))
    mark = await transaction.complete_in_transaction(conn, job.id, job.token, encode(7))
    assert (mark, await state_of(conn, job.id)) == (transaction.Mark.GONE, State.RUNNING)


async def test_checkpoints_and_progress_are_fenced(conn: "asyncpg.Connection[Record]") -> None:
    job = await running_job(conn, await registered_worker(conn))
    stale = Token(uuid4())
    assert await worker.save_checkpoint(conn, job.id, job.token, "step", encode([1]))
    assert not await worker.save_checkpoint(conn, job.id, stale, "step", encode([2]))
    assert await worker.load_checkpoints(conn, job.id) == {"step": "[1]"}
    report = [encode({"done": 3, "total": 10})]
    assert await worker.report_progress(conn, [job.id], [job.token], report) == {}
    lost = {job.id: NotReported.LOST}
    assert await worker.report_progress(conn, [job.id], [stale], report) == lost


async def test_a_worker_lives_renews_and_leaves(conn: "asyncpg.Connection[Record]") -> None:
    me = await registered_worker(conn)
    renewal = await worker.renew_lease(conn, me, {"running": 2})
    assert (renewal.known, renewal.rescued, renewal.drain) == (True, False, False)
    (seen,) = await worker_list.list_workers(conn)
    assert (seen.id, seen.host, seen.running, seen.slots) == (me, "here", 2, 10)
    await worker.stop_worker(conn, me)
    assert not (await worker.renew_lease(conn, me)).known


async def test_a_running_job_is_asked_and_others_are_cancelled(conn: "asyncpg.Connection[Record]") -> None:
    me = await registered_worker(conn)
    job = await running_job(conn, me)
    (other,) = await jobs.enqueue_jobs(conn, ["t"], [encode(1)])
    missing = JobId(uuid4())
    results = await jobs.cancel_jobs(conn, [job.id, other.id, missing], "no longer needed", "me")
    assert results == {
        job.id: CancelResult.ASKED,
        other.id: CancelResult.CANCELLED,
        missing: CancelResult.NOT_FOUND,
    }
    (request,) = await worker.cancel_requests(conn, me)
    assert (request.id, request.token, request.reason) == (job.id, job.token, "no longer needed")


async def test_an_ended_job_is_replayed_and_a_live_one_is_not(conn: "asyncpg.Connection[Record]") -> None:
    me = await registered_worker(conn)
    job = await running_job(conn, me)
    await settle(conn, me, job, end_of(Completed()))
    (live,) = await jobs.enqueue_jobs(conn, ["t"], [encode(1)])
    results = await jobs.replay_jobs(conn, [job.id, live.id], "again", "me")
    assert results == {
        job.id: ReplayResult.REPLAYED,
        live.id: ReplayResult.LIVE,
    }
    again = await jobs.get_job(conn, job.id)
    assert again is not None
    assert (again.state, again.generation) == (State.READY, 2)


async def test_jobs_are_listed_by_filter_and_page(conn: "asyncpg.Connection[Record]") -> None:
    made = await jobs.enqueue_jobs(conn, ["t"], [encode(n) for n in range(5)], {"queue": "listed"})
    first = await jobs.list_jobs(conn, {"queue": "listed"}, limit=3)
    second = await jobs.list_jobs(conn, {"queue": "listed"}, before=first[-1].id, limit=3)
    assert [len(first), len(second)] == [3, 2]
    assert {job.id for job in first + second} == {one.id for one in made}
    assert await jobs.get_job(conn, JobId(uuid4())) is None


async def test_a_queue_is_declared_paused_and_resumed(conn: "asyncpg.Connection[Record]") -> None:
    await queues.declare_queue(conn, "slow", {"max_failures": 5, "retry": "chat"})
    await queues.declare_task(conn, "crawl", {"queue": "slow", "timeout": 30})
    await jobs.enqueue_jobs(conn, ["crawl"], [encode(1)])
    await queues.pause_queue(conn, "slow", "too hot", "me")
    paused = next(queue for queue in await queues.list_queues(conn, 100) if queue.name == "slow")
    assert (paused.paused_reason, paused.ready) == ("too hot", 1)
    await queues.resume_queue(conn, "slow", None, "me")
    resumed = next(queue for queue in await queues.list_queues(conn, 100) if queue.name == "slow")
    assert resumed.paused_at is None


async def test_a_run_counts_its_jobs_to_its_end(conn: "asyncpg.Connection[Record]") -> None:
    me = await registered_worker(conn)
    run = await runs.start_run(conn, "import", {"labels": {"a": 1}})
    await jobs.enqueue_jobs(conn, ["t"], [encode(n) for n in range(2)], {"run": str(run)})
    await runs.seal_run(conn, run)
    claimed = await worker.claim_jobs(conn, me, 1)
    await settle(conn, me, claimed[0], end_of(Completed()))
    progress = await runs.run_progress(conn, run)
    assert progress is not None
    assert (progress.id, progress.total, progress.completed, progress.ready) == (run, 2, 1, 1)
    assert progress.ended == 1
    assert await runs.cancel_run(conn, run, "enough", "me") == 1
    assert await maintenance.close_runs(conn) == 0, "cancelling its last job has closed it"
    (listed,) = await runs.list_runs(conn)
    assert (listed.id, listed.completed, listed.cancelled) == (run, 1, 1)
    assert await runs.replay_run(conn, run, Which.ALL, "again", "me", await now(conn)) == 2
    assert await runs.run_progress(conn, RunId(uuid4())) is None


async def test_every_maintenance_task_returns_its_counts(conn: "asyncpg.Connection[Record]") -> None:
    await jobs.enqueue_jobs(conn, ["t"], [encode(1)], {"delay": 0.001})
    await conn.execute("select pg_sleep(0.005)")
    assert await maintenance.promote_jobs(conn) == 1
    assert (await maintenance.rescue_jobs(conn)).total == 0
    assert await maintenance.advance_order_keys(conn) == 0
    assert await maintenance.prune_jobs(conn) == {"jobs": 0, "keys": 0, "partitions": 0}
    assert await maintenance.forget_workers(conn) == 0
    made = await maintenance.make_partitions(conn)
    assert (made > 0, await maintenance.make_partitions(conn)) == (True, 0)


@pytest.mark.parametrize("name", PRESETS)
async def test_the_database_knows_every_preset_that_the_model_names(
    conn: "asyncpg.Connection[Record]", name: str
) -> None:
    assert await conn.fetchval("select holdfast.retry_policy($1::jsonb)", json.dumps(name))
