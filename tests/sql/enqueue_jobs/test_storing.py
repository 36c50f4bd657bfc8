"""What enqueue stores, and what it answers."""

import json
from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import a_queue, a_worker, claim, ready_job, ready_jobs, scheduled_job, the_job, to_json
from tests.sql.conftest import Clock

ENQUEUE = "select job_id, created from holdfast.enqueue_jobs($1::text[], $2::json[], $3::jsonb, $4::jsonb[])"


async def test_a_job_without_options_is_ready_in_the_default_queue(conn: Connection) -> None:
    job = await the_job(conn, await ready_job(conn))
    assert (job["state"], job["queue"], job["task"], job["priority"]) == ("ready", "default", "task", 50)
    assert (job["attempt"], job["failures"], job["losses"], job["deferrals"]) == (0, 0, 0, 0)
    assert job["generation"] == 1


async def test_ids_come_back_in_input_order_and_rise(conn: Connection) -> None:
    made = await conn.fetch(ENQUEUE, ["a", "b", "c"], ["1", "2", "3"], "{}", None)
    stored = [await the_job(conn, row["job_id"]) for row in made]
    assert [(row["task"], row["payload"]) for row in stored] == [("a", "1"), ("b", "2"), ("c", "3")]
    assert [row["job_id"] for row in made] == sorted(row["job_id"] for row in made)
    assert all(row["created"] for row in made)


async def test_one_task_serves_all_payloads(conn: Connection) -> None:
    made = await conn.fetch(ENQUEUE, ["t"], ["1", "2"], "{}", None)
    assert {(await the_job(conn, row["job_id"]))["task"] for row in made} == {"t"}


async def test_options_of_one_job_win_over_those_for_all(conn: Connection) -> None:
    each = [None, '{"priority": 9}', "null", "{}"]
    made = await conn.fetch(ENQUEUE, ["t"], ["1"] * 4, '{"priority": 3, "queue": "q"}', each)
    stored = [await the_job(conn, row["job_id"]) for row in made]
    assert [row["priority"] for row in stored] == [3, 9, 3, 3]
    assert {row["queue"] for row in stored} == {"q"}


async def test_no_payloads_make_no_jobs(conn: Connection) -> None:
    assert await conn.fetch(ENQUEUE, ["t"], [], "{}", None) == []
    assert await conn.fetch(ENQUEUE, ["t"], None, "{}", None) == []


async def test_a_delayed_job_is_scheduled_for_then(conn: Connection, clock: Clock) -> None:
    job = await the_job(conn, await scheduled_job(conn, timedelta(minutes=5)))
    assert job["state"] == "scheduled"
    wait = job["due_at"] - await clock.now()
    assert timedelta(minutes=4, seconds=58) < wait <= timedelta(minutes=5)


async def test_a_delay_may_be_the_text_of_an_interval(conn: Connection) -> None:
    assert (await the_job(conn, await ready_job(conn, delay="2 hours")))["state"] == "scheduled"


async def test_a_time_that_has_passed_makes_a_ready_job(conn: Connection, clock: Clock) -> None:
    past = await clock.now() - timedelta(days=1)
    job = await the_job(conn, await ready_job(conn, run_at=past))
    assert (job["state"], job["due_at"]) == ("ready", None)


async def test_a_task_decides_where_its_queue_and_priority_are_not_given(conn: Connection) -> None:
    await a_queue(conn, "slow", priority=10, timeout=60)
    await conn.execute("""select holdfast.declare_task('crawl', '{"queue": "slow", "priority": 20}')""")
    job = await the_job(conn, await ready_job(conn, task="crawl"))
    assert (job["queue"], job["priority"], job["timeout"]) == ("slow", 20, timedelta(seconds=60))
    other = await the_job(conn, await ready_job(conn, queue="slow"))
    assert other["priority"] == 10
    own = await the_job(conn, await ready_job(conn, task="crawl", priority=0, timeout="5 seconds"))
    assert (own["priority"], own["timeout"]) == (0, timedelta(seconds=5))


async def test_a_large_payload_lies_aside_and_comes_back_equal(conn: Connection) -> None:
    payload = {"text": "ü😀" * 2000}
    job = await ready_job(conn, payload=payload)
    assert await conn.fetchval("select payload is null from holdfast.jobs where id = $1", job)
    assert json.loads((await the_job(conn, job))["payload"]) == payload
    row = await conn.fetchrow("select * from holdfast.claim_jobs($1, 1)", await a_worker(conn))
    assert row is not None
    assert json.loads(row["payload"]) == payload


async def test_a_payload_keeps_its_text(conn: Connection) -> None:
    text = '{"b": 1.0,  "a": 1e300, "c":-0.0, "s": "\\u00e9\\\\u0000"}'
    made = await conn.fetch(ENQUEUE, ["t"], [text], "{}", None)
    assert (await the_job(conn, made[0]["job_id"]))["payload"] == text


async def test_jobs_of_one_call_are_claimed_in_their_order(conn: Connection) -> None:
    made = await ready_jobs(conn, 50)
    worker = await a_worker(conn)
    got = [job.id for _ in range(5) for job in sorted(await claim(conn, worker, 10), key=lambda j: j.id)]
    assert got == made


async def test_an_id_carries_the_time_of_its_job(conn: Connection, clock: Clock) -> None:
    job = await the_job(conn, await ready_job(conn))
    assert abs(job["created_at"] - await clock.now()) < timedelta(seconds=5)


async def test_labels_and_settings_are_stored(conn: Connection) -> None:
    job = await the_job(
        conn,
        await ready_job(
            conn,
            labels={"a": [1]},
            max_failures=7,
            retry="posts",
            group="gpu",
            endpoint="llm",
            stage="triage",
        ),
    )
    assert (job["labels"], job["max_failures"]) == (to_json({"a": [1]}), 7)
    assert json.loads(job["retry"]) == {"delays": [60, 300, 900]}
    assert (job["group"], job["endpoint"], job["stage"]) == ("gpu", "llm", "triage")


async def test_payloads_that_are_not_numbered_from_one_are_stored(conn: Connection) -> None:
    """As a trigger builds them that begins with `payloads[0]`."""
    for payloads in ("[0:1]={1,2}", "{{1},{2}}"):
        made = await conn.fetch(
            "select job_id from holdfast.enqueue_jobs('[0:0]={t}'::text[], $1::text::json[])", payloads
        )
        assert [(await the_job(conn, row["job_id"]))["payload"] for row in made] == ["1", "2"]
