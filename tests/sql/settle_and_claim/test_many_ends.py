"""Many ends of one call are written as sets; each job gets what it would have got alone."""

import json
from typing import Any
from uuid import uuid4

from holdfast.db.connect import Connection
from tests.builders import Running, a_worker, claim, ready_jobs, running_job, state_of

FAIL = "select * from holdfast.fail_jobs($1, $2, $3::jsonb[])"
SECRET = "c4n4ryC4N4RYc4n4ry42"


async def fail_all(conn: Connection, jobs: list[Running], *details: dict[str, Any]) -> list[Any]:
    rows = await conn.fetch(
        FAIL, [job.id for job in jobs], [job.token for job in jobs], [json.dumps(d) for d in details]
    )
    return [row[0] for row in rows]


async def running_jobs(conn: Connection, count: int, **options: Any) -> list[Running]:
    await ready_jobs(conn, count, **options)
    return await claim(conn, await a_worker(conn), count)


async def test_each_failure_has_its_own_text(conn: Connection) -> None:
    jobs = await running_jobs(conn, 4)
    texts = ["no room", f"password={SECRET}", "no room", "no bread"]
    assert await fail_all(conn, jobs, *({"message": text, "type": "Error"} for text in texts)) == []
    rows = await conn.fetch("select job_id, message, error_type from holdfast.attempts")
    stored = {row["job_id"]: (row["message"], row["error_type"]) for row in rows}
    expected = ["no room", "password=[redacted]", "no room", "no bread"]
    assert [stored[job.id] for job in jobs] == [(text, "Error") for text in expected]


async def test_jobs_that_fail_together_do_not_come_back_together(conn: Connection) -> None:
    """One chance for all would send them to the next try as a herd."""
    jobs = await running_jobs(conn, 20, retry={"base": 60, "jitter": 1})
    await fail_all(conn, jobs, *({"message": "no"} for _ in jobs))
    times = {row["due_at"] for row in await conn.fetch("select due_at from holdfast.jobs")}
    assert len(times) == len(jobs)


async def test_each_failure_follows_the_policy_of_its_own_job(conn: Connection) -> None:
    once = await running_job(conn, queue="a", max_failures=1)
    twice = await running_job(conn, queue="b", retry={"delays": [0]})
    never = await running_job(conn, queue="c")
    late = await running_job(conn, queue="d", retry={"base": 7200, "cap": 7200}, deadline="2100-01-01Z")
    await conn.execute(
        "update holdfast.jobs set deadline = holdfast.now() + interval '1 hour' where id = $1", late.id
    )
    await fail_all(conn, [once, twice, never, late], {}, {}, {"class": "permanent"}, {})
    reasons = {
        row["job_id"]: row["reason"] for row in await conn.fetch("select * from holdfast.dead_letters")
    }
    assert reasons == {once.id: "failed_too_often", never.id: "permanent", late.id: "deadline_passed"}
    assert await state_of(conn, twice.id) == "ready"


async def test_an_outdated_token_among_many_changes_nothing(conn: Connection) -> None:
    jobs = await running_jobs(conn, 3)
    stale = Running(jobs[1].id, uuid4(), jobs[1].worker, jobs[1].attempt)
    assert await fail_all(conn, [jobs[0], stale, jobs[2]], {}, {}, {}) == [stale.id]
    assert [await state_of(conn, job.id) for job in jobs] == ["scheduled", "running", "scheduled"]


async def test_a_job_named_twice_in_a_call_ends_once(conn: Connection) -> None:
    """With an outdated token, and with that of a later claim of the same worker."""
    [job] = await running_jobs(conn, 1)
    stale = Running(job.id, uuid4(), job.worker, job.attempt)
    assert (
        await fail_all(conn, [stale, job, job], {"message": "old"}, {"message": "new"}, {"message": "again"})
        == []
    )
    assert [row["message"] for row in await conn.fetch("select message from holdfast.attempts")] == ["new"]


async def test_a_child_that_fails_with_its_dying_parent_is_cancelled(conn: Connection) -> None:
    parent = await running_job(conn, queue="parents")
    await conn.execute(
        "select holdfast.spawn_children($1, $2, 'k', array['kid'], array['1']::json[])",
        parent.id,
        parent.token,
    )
    [child] = await claim(conn, await a_worker(conn), 1)
    await fail_all(conn, [child, parent], {}, {"class": "permanent"})
    assert await state_of(conn, parent.id) == "dead"
    assert await state_of(conn, child.id) == "cancelled"


async def test_the_full_trail_tells_a_retry_at_once_from_a_later_one(conn: Connection) -> None:
    await conn.execute("""select holdfast.declare_queue('default', '{"detail": "full"}')""")
    soon = await running_job(conn, retry={"delays": [0]})
    later = await running_job(conn, retry={"delays": [60]})
    await fail_all(conn, [soon, later], {}, {})
    rows = await conn.fetch("select job_id, to_state from holdfast.events where cause = 'fail'")
    assert {row["job_id"]: row["to_state"] for row in rows} == {soon.id: "ready", later.id: "scheduled"}


async def test_completed_jobs_end_in_the_order_of_their_ids_however_they_are_sent(conn: Connection) -> None:
    """Another transaction that locks several of them, by id as well, would deadlock otherwise."""
    await conn.execute("analyze holdfast.jobs")  # of an empty table: the plan that followed the call's order
    jobs = list(reversed(await running_jobs(conn, 50)))
    await conn.execute(
        "select holdfast.complete_jobs($1, $2, null)", [job.id for job in jobs], [job.token for job in jobs]
    )
    ended = [row["id"] for row in await conn.fetch("select id from holdfast.history order by tableoid, ctid")]
    assert ended == sorted(job.id for job in jobs)
