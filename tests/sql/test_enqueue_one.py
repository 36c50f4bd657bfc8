"""One job, by the short way where it can; tests/sql/enqueue_jobs/test_ways.py compares it with the others."""

from holdfast.db.connect import Connection
from tests.builders import refusal, state_of, the_job, to_json

ENQUEUE = "select job_id, created from holdfast.enqueue_one($1, $2::json, $3)"


async def test_a_job_is_stored_with_its_options(conn: Connection) -> None:
    for _ in range(2):  # the first creates the lane, the long way
        row = await conn.fetchrow(
            ENQUEUE, "t", '{"a": 1}', '{"queue": "q", "priority": 7, "labels": {"b": 2}}'
        )
        assert row is not None
        job = await the_job(conn, row["job_id"])
        assert (job["queue"], job["priority"], job["payload"]) == ("q", 7, '{"a": 1}')
        assert (job["state"], job["labels"], row["created"]) == ("ready", '{"b": 2}', True)


async def test_a_key_gives_the_job_that_has_it(conn: Connection) -> None:
    first, again = [await conn.fetchrow(ENQUEUE, "t", "1", '{"unique_key": "k"}') for _ in range(2)]
    assert first is not None
    assert again is not None
    assert (first["created"], again["created"]) == (True, False)
    assert first["job_id"] == again["job_id"]


async def test_a_delay_schedules_it(conn: Connection) -> None:
    await conn.fetchrow(ENQUEUE, "t", "1", "{}")
    row = await conn.fetchrow(ENQUEUE, "t", "1", '{"delay": 60}')
    assert row is not None
    assert await state_of(conn, row["job_id"]) == "scheduled"


async def test_what_enqueue_jobs_refuses_is_refused(conn: Connection) -> None:
    await conn.fetchrow(ENQUEUE, "t", "1", "{}")
    for task, payload, options, state in [
        ("", "1", {}, "HF002"),
        (None, "1", {}, "HF002"),
        ("t", None, {}, "HF001"),
        ("t", '{"a": 1, "a": 2}', {}, "HF001"),
        ("t", '["\\u0000"]', {}, "HF001"),
        ("t", "1", {"priority": 101}, "HF002"),
        ("t", "1", {"prioritiy": 1}, "HF002"),
        ("t", "1", {"pipeline": "none"}, "HF004"),
    ]:
        assert (await refusal(conn, ENQUEUE, task, payload, to_json(options))).sqlstate == state
    assert (await refusal(conn, ENQUEUE, "t", "1", None)).sqlstate == "HF002"
    assert await conn.fetchval("select count(*) from holdfast.jobs") == 1
