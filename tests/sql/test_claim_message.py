"""A job that a message id names is claimed by an access key."""

from datetime import timedelta
from uuid import UUID

import pytest_asyncio

from holdfast.db.connect import Connection
from tests.builders import ready_job, refusal, rescue, running_job
from tests.sql.access_keys import a_key
from tests.sql.actions import asked_action
from tests.sql.conftest import Clock
from tests.sql.messages import CLAIM, END, claim, end, is_lost, pending

LEASE = timedelta(seconds=300)


@pytest_asyncio.fixture(loop_scope="session")
async def key(conn: Connection) -> UUID:
    return await a_key(conn, "worker")


async def test_a_message_is_claimed_once_and_completed(conn: Connection, key: UUID) -> None:
    job = await ready_job(conn, unique_key="m-1", payload={"text": "hello"}, priority=70)
    row = await conn.fetchrow(CLAIM, key, "w1", "m-1", None)
    assert row is not None
    assert (row["is_claimed"], row["job_id"], row["message_id"]) == (True, job, "m-1")
    assert (row["payload"], row["priority"], row["failures"]) == ('{"text": "hello"}', 70, 0)
    again = await conn.fetchrow(CLAIM, key, "w2", "m-1", None)
    assert again is not None
    assert (again["is_claimed"], again["job_id"], again["state"]) == (False, job, "running")
    assert await end(conn, key, "w1", "m-1") == "completed"
    assert await end(conn, key, "w1", "m-1") == "completed", "an answer that was lost is asked for again"
    assert not await claim(conn, key, "w2", "m-1")


async def test_a_job_without_a_unique_key_is_named_by_its_id(conn: Connection, key: UUID) -> None:
    job = str(await ready_job(conn))
    assert await pending(conn, key) == [job]
    assert await claim(conn, key, None, job)
    assert await end(conn, key, None, job) == "completed"


async def test_a_claim_lasts_300_seconds_whatever_its_worker_claims_later(
    conn: Connection, clock: Clock, key: UUID
) -> None:
    await ready_job(conn, unique_key="first")
    assert await claim(conn, key, "w", "first")
    await clock.advance(LEASE - timedelta(seconds=5))
    await ready_job(conn, unique_key="second")
    assert await claim(conn, key, "w", "second")
    assert (await rescue(conn))["recovered"] == 0
    await clock.advance(timedelta(seconds=10))
    assert (await rescue(conn))["recovered"] == 1
    assert await is_lost(conn, key, "w", "first", "complete")
    assert await end(conn, key, "w", "second") == "completed"
    assert await claim(conn, key, "w", "first")
    assert await conn.fetchval("select losses from holdfast.jobs where unique_key = 'first'") == 1


async def test_a_worker_that_has_ended_its_message_is_used_again(conn: Connection, key: UUID) -> None:
    for n in range(3):
        await ready_job(conn, unique_key=f"m-{n}")
        assert await claim(conn, key, "w", f"m-{n}")
        await end(conn, key, "w", f"m-{n}", "complete" if n else "fail")
    (row,) = await conn.fetch("select state, host, processed, failed, running from holdfast.worker_view")
    assert tuple(row) == ("stopped", "w", 3, 1, 0)


async def test_a_message_that_may_not_start_stays_pending(conn: Connection, key: UUID) -> None:
    await ready_job(conn, unique_key="m")
    await conn.execute("select holdfast.pause_queue('default')")
    assert not await claim(conn, key, "w", "m")
    assert await pending(conn, key) == []
    await conn.execute("select holdfast.resume_queue('default')")
    assert await pending(conn, key) == ["m"]
    assert await claim(conn, key, "w", "m")


async def test_one_id_in_two_scopes_names_the_job_that_can_be_claimed_and_two_held_ones_are_refused(
    conn: Connection, key: UUID
) -> None:
    done = await running_job(conn, unique_key="m", unique_scope="a", queue="a")
    await ready_job(conn, unique_key="m", unique_scope="b")
    assert await claim(conn, key, "w", "m"), "the other one runs elsewhere"
    await conn.execute("select holdfast.release_jobs($1, $2)", [done.id], [done.token])
    assert await conn.fetchval(
        "select is_claimed from holdfast.claim_message($1, 'w', $2)", key, str(done.id)
    )
    assert (await refusal(conn, END, key, "w", "m", "complete")).sqlstate == "HF005"
    assert await end(conn, key, "w", str(done.id)) == "completed"


async def test_jobs_outside_of_the_scope_do_not_hide_a_message_of_the_same_id(conn: Connection) -> None:
    some = await a_key(conn, "worker", "some", "some", queues=["mail"])
    await ready_job(conn, queue="mail", unique_key="m")
    for number in range(101):
        await ready_job(conn, queue="other", task=f"t{number}", unique_key="m")
    assert await claim(conn, some, "w", "m")
    assert await end(conn, some, "w", "m") == "completed"


async def test_a_bulk_action_is_no_message(conn: Connection, key: UUID) -> None:
    action = await asked_action(conn)
    await ready_job(conn, unique_key="m")
    assert await pending(conn, key) == ["m"], "a loop that takes the first message must be able to claim it"
    assert (await refusal(conn, CLAIM, key, "w", str(action), None)).sqlstate == "HF004"
