"""The same unique key gives the same job; the same key for other work is a conflict."""

import asyncio
from datetime import timedelta
from uuid import UUID

import asyncpg
import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    cancel,
    complete,
    fail,
    ready_job,
    refusal,
    replay,
    running_job,
    settle,
    state_of,
    to_json,
)
from tests.sql.conftest import Clock

ENQUEUE = "select job_id, created from holdfast.enqueue_jobs($1::text[], $2::json[], $3::jsonb, $4::jsonb[])"


async def test_a_taken_key_gives_the_job_that_has_it(conn: Connection) -> None:
    (first,) = await conn.fetch(ENQUEUE, ["t"], ['{"a": 1}'], '{"unique_key": "k"}', None)
    (again,) = await conn.fetch(ENQUEUE, ["t"], ['{ "a":1 }'], '{"unique_key": "k"}', None)
    assert (first["created"], again["created"]) == (True, False)
    assert first["job_id"] == again["job_id"]
    assert await conn.fetchval("select count(*) from holdfast.jobs") == 1


async def test_a_key_for_another_payload_or_task_is_a_conflict(conn: Connection) -> None:
    job = await ready_job(conn, unique_key="k", unique_scope="s")
    for task, payload in [("task", "[1]"), ("other", "{}")]:
        error = await refusal(
            conn, ENQUEUE, [task], [payload], '{"unique_key": "k", "unique_scope": "s"}', None
        )
        assert error.sqlstate == "HF003"
        assert str(job) in error.message


async def test_a_key_is_its_tasks_own_unless_a_scope_is_given(conn: Connection) -> None:
    a = await ready_job(conn, task="a", unique_key="k")
    b = await ready_job(conn, task="b", unique_key="k")
    scoped = await ready_job(conn, task="a", unique_key="k", unique_scope="s")
    assert len({a, b, scoped}) == 3


async def test_a_key_twice_in_one_call_makes_one_job(conn: Connection) -> None:
    each = ['{"unique_key": "k"}', "{}", '{"unique_key": "k"}', '{"unique_key": "a"}']
    made = await conn.fetch(ENQUEUE, ["t"], ["1"] * 4, "{}", each)
    assert [row["created"] for row in made] == [True, True, False, True]
    assert made[0]["job_id"] == made[2]["job_id"]
    assert await conn.fetchval("select count(*) from holdfast.jobs") == 3


async def test_a_conflict_within_one_call_refuses_all(conn: Connection) -> None:
    error = await refusal(conn, ENQUEUE, ["t"], ["1", "2"], '{"unique_key": "k"}', None)
    assert error.sqlstate == "HF003"
    assert await conn.fetchval("select count(*) from holdfast.jobs") == 0
    assert await conn.fetchval("select count(*) from holdfast.unique_keys") == 0


@pytest.mark.parametrize("end", ["complete", "reject", "cancel", "fail"])
async def test_a_live_key_is_free_after_any_end(conn: Connection, end: str) -> None:
    job = await running_job(conn, unique_key="k")
    assert await ready_job(conn, unique_key="k") == job.id
    await settle(conn, job, end, {"class": "permanent"})
    assert await ready_job(conn, unique_key="k") != job.id


async def test_a_live_key_stays_taken_while_the_job_is_retried(conn: Connection) -> None:
    job = await running_job(conn, unique_key="k")
    await fail(conn, job)
    assert await state_of(conn, job.id) == "scheduled"
    assert await ready_job(conn, unique_key="k") == job.id


async def test_a_key_for_ever_outlives_its_job(conn: Connection) -> None:
    job = await running_job(conn, unique_key="k", unique_for="forever")
    await complete(conn, job)
    assert await ready_job(conn, unique_key="k", unique_for="forever") == job.id
    assert (await refusal(conn, ENQUEUE, ["task"], ["7"], '{"unique_key": "k"}', None)).sqlstate == "HF003"


async def test_a_key_for_a_period_is_taken_until_then_and_free_afterwards(
    conn: Connection, clock: Clock
) -> None:
    job = await running_job(conn, unique_key="k", unique_for="10 minutes")
    await complete(conn, job)
    await clock.advance(timedelta(minutes=9))
    assert await ready_job(conn, unique_key="k", unique_for="10 minutes") == job.id
    await clock.advance(timedelta(minutes=2))
    other = await ready_job(conn, unique_key="k", unique_for="10 minutes", payload="other")
    assert other != job.id


@pytest.mark.parametrize(
    ("end", "is_free"), [("complete", False), ("reject", False), ("cancel", True), ("fail", True)]
)
async def test_a_key_for_a_period_is_free_if_its_job_is_dead_or_cancelled(
    conn: Connection, end: str, is_free: bool
) -> None:
    job = await running_job(conn, unique_key="k", unique_for="1 hour")
    await settle(conn, job, end, {"class": "permanent"})
    assert (await ready_job(conn, unique_key="k", unique_for="1 hour") != job.id) is is_free


async def test_an_expired_key_taken_by_another_job_is_not_freed_by_the_first(
    conn: Connection, clock: Clock
) -> None:
    first = await running_job(conn, unique_key="k", unique_for="1 minute")
    await clock.advance(timedelta(minutes=2))
    second = await ready_job(conn, unique_key="k")
    assert second != first.id
    await complete(conn, first)
    assert await ready_job(conn, unique_key="k") == second


async def test_a_replay_is_in_conflict_while_another_job_has_the_key(conn: Connection) -> None:
    first = await running_job(conn, unique_key="k")
    await complete(conn, first)
    second = await ready_job(conn, unique_key="k")
    assert await replay(conn, first.id) == "conflict"
    assert await state_of(conn, first.id) == "completed"
    await cancel(conn, second)
    assert await replay(conn, first.id) == "replayed"
    assert await ready_job(conn, unique_key="k") == first.id


async def test_a_replayed_job_keeps_its_key_for_ever_even_after_a_change_of_task(conn: Connection) -> None:
    job = await running_job(conn, unique_key="k", unique_for="forever")
    assert await settle(conn, job, "advance", {"stage": "two", "task": "other"})
    await cancel(conn, job.id)
    assert await replay(conn, job.id) == "replayed"
    assert await conn.fetchval("select count(*) from holdfast.unique_keys") == 1


async def test_concurrent_enqueues_of_one_key_make_one_job(database_url: str) -> None:
    async def enqueue(roll_back: bool) -> UUID | None:
        conn = await asyncpg.connect(database_url)
        try:
            async with conn.transaction():
                rows = await conn.fetch(ENQUEUE, ["t"], ["1"], to_json({"unique_key": "k"}), None)
                if roll_back:
                    raise ZeroDivisionError
        except ZeroDivisionError:
            return None
        finally:
            await conn.close()
        return UUID(str(rows[0]["job_id"]))

    answers = await asyncio.gather(*(enqueue(n % 2 == 0) for n in range(30)))
    conn = await asyncpg.connect(database_url)
    (stored,) = await conn.fetch("select id from holdfast.jobs")
    await conn.close()
    assert {answer for answer in answers if answer} == {stored["id"]}


async def test_a_key_may_stand_for_the_whole_request(conn: Connection) -> None:
    """A conflict if the digest of the request differs; a replayed job, which has no digest, is the same."""

    def options(digest: str) -> str:
        return to_json({"unique_key": "k", "unique_for": "24h", "unique_request": digest})

    (first,) = await conn.fetch(ENQUEUE, ["t"], ["1"], options("one"), None)
    (again,) = await conn.fetch(ENQUEUE, ["t"], ["1"], options("one"), None)
    assert (again["job_id"], again["created"]) == (first["job_id"], False)
    for payload, digest in (("1", "two"), ("2", "one")):
        refused = await refusal(conn, ENQUEUE, ["t"], [payload], options(digest), None)
        assert refused.sqlstate == "HF003"
    await cancel(conn, first["job_id"])
    assert await replay(conn, first["job_id"]) == "replayed"
    (later,) = await conn.fetch(ENQUEUE, ["t"], ["1"], options("two"), None)
    assert later["job_id"] == first["job_id"]
    assert (await refusal(conn, ENQUEUE, ["t"], ["2"], options("one"), None)).sqlstate == "HF003"
