"""An ended job starts its next generation under the same id."""

import asyncio
import json
from datetime import timedelta
from uuid import UUID, uuid4

import asyncpg
import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    a_queue,
    cancelled_job,
    claim_one,
    complete,
    completed_job,
    dead_job,
    fail,
    is_waiting,
    letter_of,
    ready_job,
    rejected_job,
    replay,
    running_job,
    state_of,
    the_job,
)
from tests.patience import PATIENCE
from tests.sql.conftest import Clock


async def ended_job(conn: Connection, state: str) -> UUID:
    match state:
        case "completed":
            return (await completed_job(conn, payload={"a": "x" * 3000})).id
        case "rejected":
            return (await rejected_job(conn, payload={"a": "x" * 3000})).id
        case "dead":
            return (await dead_job(conn, payload={"a": "x" * 3000})).id
        case _:
            return await cancelled_job(conn, payload={"a": "x" * 3000})


@pytest.mark.parametrize("state", ["completed", "rejected", "cancelled", "dead"])
async def test_any_end_can_be_replayed(conn: Connection, state: str) -> None:
    job = await ended_job(conn, state)
    before = await the_job(conn, job)
    assert await replay(conn, job) == "replayed"
    row = await the_job(conn, job)
    assert (row["state"], row["generation"], row["attempt"]) == ("ready", 2, before["attempt"])
    assert (row["failures"], row["losses"], row["deferrals"]) == (0, 0, 0)
    assert json.loads(row["payload"]) == {"a": "x" * 3000}
    assert (row["output"], row["ended_at"]) == (None, None)
    assert await conn.fetchval("select count(*) from holdfast.history") == 0


async def test_attempt_numbers_go_on_and_tokens_of_the_past_are_stale(conn: Connection) -> None:
    job = await dead_job(conn)
    await replay(conn, job.id)
    again = await claim_one(conn, job.worker)
    assert (again.attempt, again.token != job.token) == (2, True)
    assert not await complete(conn, job)
    assert await complete(conn, again)


async def test_each_job_of_many_gets_its_own_answer(conn: Connection) -> None:
    dead, live, missing = await dead_job(conn), await ready_job(conn), uuid4()
    rows = await conn.fetch("select * from holdfast.replay_jobs($1)", [missing, live, dead.id, dead.id])
    assert {row["job_id"]: row["result"] for row in rows} == {
        missing: "not_found", live: "live", dead.id: "replayed",
    }  # fmt: skip
    assert len(rows) == 3


async def test_a_job_is_not_replayed_twice(conn: Connection) -> None:
    job = await dead_job(conn)
    assert [await replay(conn, job.id), await replay(conn, job.id)] == ["replayed", "live"]


async def test_a_dead_letter_is_closed_by_a_replay_and_reopened_by_the_next_death(conn: Connection) -> None:
    job = await dead_job(conn, message="first")
    await conn.execute("update holdfast.dead_letters set status = 'resolved'")
    await replay(conn, job.id)
    letter = await letter_of(conn, job.id)
    assert letter is not None
    assert letter["replayed_at"] is not None
    assert (
        await conn.fetchval("select count(*) from holdfast.dead_letter_view where replayed_at is null") == 0
    )
    await fail(conn, await claim_one(conn, job.worker), "permanent", message="second")
    letter = await letter_of(conn, job.id)
    assert letter is not None
    assert (letter["message"], letter["status"], letter["generation"]) == ("second", "open", 2)
    assert letter["replayed_at"] is None
    assert await conn.fetchval("select count(*) from holdfast.dead_letter_view") == 1


async def test_a_failure_budget_starts_anew(conn: Connection) -> None:
    job = await running_job(conn, retry=[0], max_failures=2)
    await fail(conn, job)
    await fail(conn, await claim_one(conn, job.worker))
    assert await state_of(conn, job.id) == "dead"
    await replay(conn, job.id)
    await fail(conn, await claim_one(conn, job.worker))
    assert await state_of(conn, job.id) == "ready"


async def test_a_deadline_that_has_passed_no_longer_binds_and_one_to_come_does(
    conn: Connection, clock: Clock
) -> None:
    now = await clock.now()
    near = await cancelled_job(conn, deadline=now + timedelta(minutes=1))
    far = await cancelled_job(conn, deadline=now + timedelta(days=1))
    await clock.advance(timedelta(minutes=2))
    await replay(conn, near)
    await replay(conn, far)
    assert (await the_job(conn, near))["deadline"] is None
    assert (await the_job(conn, far))["deadline"] == now + timedelta(days=1)


async def test_the_end_that_leaves_history_stays_in_the_audit_trail_once(conn: Connection) -> None:
    for detail in ("basic", "full"):
        queue = await a_queue(conn, f"q-{detail}", detail=detail)
        job = await dead_job(conn, queue=queue)
        await replay(conn, job.id, "because", "Grace")
        rows = await conn.fetch(
            "select * from holdfast.events where job_id = $1 and cause in ('end', 'replay') order by id",
            job.id,
        )
        assert [(row["from_state"], row["to_state"]) for row in rows] == [
            ("running", "dead"),
            ("dead", "ready"),
        ]
        assert (rows[1]["actor"], rows[1]["reason"]) == ("Grace", "because")


async def test_a_replay_takes_its_queues_present_ageing(conn: Connection) -> None:
    job = await cancelled_job(conn, priority=30)
    await a_queue(conn, ageing=1)
    await replay(conn, job)
    row = await conn.fetchrow("select urgency, lead from holdfast.jobs where id = $1", job)
    assert row is not None
    assert (row["urgency"], row["lead"]) == (0, timedelta(minutes=30))


async def test_two_operators_at_once_replay_a_job_once(database_url: str) -> None:
    first, second = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    job = await dead_job(first)
    transaction = first.transaction()
    await transaction.start()
    assert await replay(first, job.id) == "replayed"
    waiting = asyncio.create_task(replay(second, job.id))
    await is_waiting(database_url, second, waiting)
    await transaction.commit()
    assert await asyncio.wait_for(waiting, PATIENCE) == "live"
    assert await state_of(first, job.id) == "ready"
    await first.close()
    await second.close()
