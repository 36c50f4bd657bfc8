"""What an operator does to live jobs by hand; a worker that had one is fenced."""

from typing import Any
from uuid import uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    a_queue,
    a_worker,
    cancel,
    claim,
    claim_one,
    complete,
    completed_job,
    letter_of,
    ready_job,
    refusal,
    release,
    running_job,
    state_of,
    the_job,
)

VERBS = {
    "take_back": "select * from holdfast.take_back_jobs($1, 'stuck', 'Ada')",
    "complete": "select * from holdfast.complete_by_hand($1, '{\"by\": \"hand\"}', 'done elsewhere', 'Ada')",
    "fail": "select * from holdfast.fail_by_hand($1, 'hopeless', 'Ada')",
    "priority": "select * from holdfast.set_priority($1, 99, 'urgent', 'Ada')",
}


async def by_hand(conn: Connection, verb: str, *jobs: Any) -> dict[Any, str]:
    rows = await conn.fetch(VERBS[verb], list(jobs))
    return {row["job_id"]: row["result"] for row in rows}


async def test_a_job_is_taken_from_its_worker_at_no_cost(conn: Connection) -> None:
    job = await running_job(conn)
    ready, missing = await ready_job(conn), uuid4()
    assert await by_hand(conn, "take_back", job.id, ready, missing) == {
        job.id: "taken_back", ready: "ready", missing: "not_found",
    }  # fmt: skip
    row = await the_job(conn, job.id)
    assert (row["state"], row["failures"], row["losses"], row["deferrals"]) == ("ready", 0, 0, 1)
    assert not await complete(conn, job)


async def test_a_job_that_was_asked_to_cancel_is_cancelled_when_taken_back(conn: Connection) -> None:
    job = await running_job(conn)
    await cancel(conn, job.id)
    assert await by_hand(conn, "take_back", job.id) == {job.id: "cancelled"}
    assert await state_of(conn, job.id) == "cancelled"


async def test_a_job_is_completed_by_hand_and_its_worker_is_fenced(conn: Connection) -> None:
    job = await running_job(conn, order_key="k")
    following = await ready_job(conn, order_key="k")
    assert await by_hand(conn, "complete", job.id) == {job.id: "completed"}
    assert not await complete(conn, job)
    row = await the_job(conn, job.id)
    assert (row["output"], row["reason"]) == ('{"by": "hand"}', "completed by hand: done elsewhere")
    assert await state_of(conn, following) == "ready"


async def test_a_job_that_never_ran_is_not_completed(conn: Connection) -> None:
    job = await ready_job(conn)
    assert await by_hand(conn, "complete", job) == {job: "never_ran"}
    worker = await a_worker(conn)
    await release(conn, await claim_one(conn, worker))
    assert await by_hand(conn, "complete", job) == {job: "completed"}


async def test_a_job_is_given_up_by_hand(conn: Connection) -> None:
    job, ready = await running_job(conn), await ready_job(conn)
    assert await by_hand(conn, "fail", job.id, ready) == {job.id: "dead", ready: "dead"}
    for one in (job.id, ready):
        letter = await letter_of(conn, one)
        assert letter is not None
        assert letter["reason"] == "given_up"
    assert not await complete(conn, job)


@pytest.mark.parametrize("verb", VERBS)
async def test_an_ended_job_is_left_as_it_is(conn: Connection, verb: str) -> None:
    job = await completed_job(conn)
    assert await by_hand(conn, verb, job.id, job.id) == {job.id: "ended"}
    assert await state_of(conn, job.id) == "completed"


@pytest.mark.parametrize("verb", VERBS)
async def test_who_did_it_and_why_is_kept(conn: Connection, verb: str) -> None:
    job = await running_job(conn)
    await by_hand(conn, verb, job.id)
    (event,) = await conn.fetch("select actor, reason from holdfast.events where job_id = $1", job.id)
    assert event["actor"] == "Ada"
    assert event["reason"]


async def test_a_new_priority_moves_a_ready_job_up(conn: Connection) -> None:
    first, second = await ready_job(conn), await ready_job(conn)
    assert await by_hand(conn, "priority", second) == {second: "set"}
    worker = await a_worker(conn)
    assert [(await claim_one(conn, worker)).id for _ in range(2)] == [second, first]
    assert (await the_job(conn, second))["priority"] == 99


async def test_a_new_priority_in_a_queue_with_ageing_changes_the_lead_and_not_the_time(
    conn: Connection,
) -> None:
    await a_queue(conn, ageing=1)
    job = await running_job(conn, priority=10)
    before = (await the_job(conn, job.id))["ready_at"]
    await by_hand(conn, "priority", job.id)
    assert (await the_job(conn, job.id))["ready_at"] == before
    low = await ready_job(conn, priority=50)
    await release(conn, job)
    assert [one.id for one in await claim(conn, job.worker)] == [job.id]
    assert await state_of(conn, low) == "ready"


@pytest.mark.parametrize("priority", [-1, 101, None])
async def test_a_priority_out_of_range_is_refused(conn: Connection, priority: int | None) -> None:
    job = await ready_job(conn)
    statement = "select holdfast.set_priority($1, $2, null, 'Ada')"
    assert (await refusal(conn, statement, [job], priority)).sqlstate == "HF002"
