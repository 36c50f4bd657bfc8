"""Lists of jobs without their payloads, their latest errors, and names to choose from."""

from dataclasses import fields
from uuid import UUID

from holdfast.db.connect import Connection
from holdfast.db.jobs import latest_errors, page_jobs, page_outlines
from holdfast.db.queues import queue_names, task_names
from holdfast.model.attempt import JobError
from holdfast.model.id import JobId, created_at
from holdfast.model.job import JobOutline
from tests.builders import claim_one, dead_job, fail, ready_job, ready_jobs, running_job


async def test_outlines_have_the_pages_and_the_values_of_whole_jobs(conn: Connection) -> None:
    await ready_jobs(conn, 3, queue="mail", labels={"team": "search"}, payload={"n": 1})
    await dead_job(conn, queue="other")
    place: JobId | None = None
    for expected in (2, 2):
        jobs = await page_jobs(conn, {}, place, 2)
        outlines = await page_outlines(conn, {}, place, 2)
        assert (len(outlines.items), outlines.next) == (expected, jobs.next)
        for job, outline in zip(jobs.items, outlines.items, strict=True):
            for field in fields(JobOutline):
                assert getattr(job, field.name) == getattr(outline, field.name), field.name
        place = outlines.next
    assert (await page_outlines(conn, {"queue": "none"})).items == []


async def test_the_latest_error_of_a_job_is_that_of_its_last_failed_attempt(conn: Connection) -> None:
    failed = await running_job(conn, queue="mail", retry={"delays": [0]})
    await fail(conn, failed, message="first")
    await conn.execute("select holdfast.promote_jobs()")
    await fail(conn, await claim_one(conn, failed.worker), message="second" + "x" * 1000, type="KeyError")
    fine = await ready_job(conn)
    found = await latest_errors(conn, [JobId(failed.id), JobId(fine)])
    assert found == {failed.id: JobError(JobId(failed.id), "transient", "KeyError", f"second{'x' * 494}")}


async def test_names_of_queues_and_tasks_are_in_order(conn: Connection) -> None:
    await ready_job(conn, queue="b")
    await ready_job(conn, queue="a")
    await conn.execute("select holdfast.declare_task('send', '{}')")
    assert [name for name in await queue_names(conn, 100) if name in "ab"] == ["a", "b"]
    assert len(await queue_names(conn, 1)) == 1
    assert await task_names(conn, 100) == ["send"]


async def test_the_id_of_a_job_tells_when_it_was_created(conn: Connection) -> None:
    job = await ready_job(conn)
    assert created_at(job) == await conn.fetchval("select holdfast.created_at($1)", job)
    assert created_at(UUID(int=0)) is None
