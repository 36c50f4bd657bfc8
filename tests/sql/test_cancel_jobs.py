"""Cancelling: at once what does not run; what runs is asked, and fenced after a grace."""

from datetime import timedelta
from uuid import uuid4

import asyncpg

from holdfast.db.connect import Connection
from tests.builders import (
    a_queue,
    a_worker,
    cancel,
    complete,
    completed_job,
    expire_worker,
    letter_of,
    ready_job,
    renew,
    rescue,
    running_job,
    scheduled_job,
    settle,
    state_of,
    the_job,
    waiting_job,
)
from tests.sql.conftest import Clock


async def test_what_does_not_run_is_cancelled_at_once(conn: Connection) -> None:
    for job in [await ready_job(conn), await scheduled_job(conn), await waiting_job(conn)]:
        assert await cancel(conn, job, "not needed") == "cancelled"
        row = await the_job(conn, job)
        assert (row["state"], row["reason"]) == ("cancelled", "not needed")
        assert await letter_of(conn, job) is None


async def test_each_job_of_many_gets_its_own_answer_once(conn: Connection) -> None:
    running, ended = await running_job(conn), await completed_job(conn)
    ready, missing = await ready_job(conn), uuid4()
    ids = [missing, ready, ended.id, running.id, ready]
    rows = await conn.fetch("select * from holdfast.cancel_jobs($1)", ids)
    assert {row["job_id"]: row["result"] for row in rows} == {
        running.id: "asked", ended.id: "ended", ready: "cancelled", missing: "not_found",
    }  # fmt: skip
    assert len(rows) == 4


async def test_a_handler_that_obeys_ends_its_job_as_cancelled(conn: Connection) -> None:
    job = await running_job(conn)
    await cancel(conn, job.id)
    assert await settle(conn, job, "cancel")
    assert await state_of(conn, job.id) == "cancelled"
    assert await conn.fetch("select * from holdfast.cancel_requests($1)", job.worker) == []


async def test_a_handler_that_does_not_obey_is_fenced_after_the_queues_grace(
    conn: Connection, clock: Clock
) -> None:
    await a_queue(conn, cancel_grace="1 minute")
    job = await running_job(conn, await a_worker(conn, lease=timedelta(hours=1)))
    await cancel(conn, job.id)
    await clock.advance(timedelta(seconds=59))
    assert (await rescue(conn))["cancelled"] == 0
    await cancel(conn, job.id)  # asking again does not start the grace anew
    await clock.advance(timedelta(seconds=2))
    assert (await rescue(conn))["cancelled"] == 1
    assert await state_of(conn, job.id) == "cancelled"
    assert not await complete(conn, job)


async def test_a_cancelled_job_whose_worker_vanished_is_not_run_again(conn: Connection) -> None:
    job = await running_job(conn)
    await cancel(conn, job.id)
    await expire_worker(conn, job.worker)
    await rescue(conn)
    assert await state_of(conn, job.id) == "cancelled"
    assert (await renew(conn, job.worker))["rescued"]


async def test_who_cancelled_and_why_is_kept_without_secrets(conn: Connection) -> None:
    job = await ready_job(conn)
    await cancel(conn, job, "token=abcdef0123", "Grace")
    rows = await conn.fetch("select * from holdfast.event_view where job_id = $1 order by id", job)
    assert [(row["cause"], row["actor"], row["reason"]) for row in rows] == [
        ("end", None, "token=[redacted]"),
        ("cancel", "Grace", "token=[redacted]"),
    ]


async def test_a_job_that_somebody_is_moving_right_now_is_busy(database_url: str) -> None:
    conn, other = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    job = await ready_job(conn)
    transaction = other.transaction()
    await transaction.start()
    await other.execute("select 1 from holdfast.jobs where id = $1 for update", job)
    assert await cancel(conn, job) == "busy"
    await transaction.rollback()
    assert await cancel(conn, job) == "cancelled"
    await conn.close()
    await other.close()


async def test_nothing_is_nothing(conn: Connection) -> None:
    assert await conn.fetch("select * from holdfast.cancel_jobs('{}')") == []
    assert await conn.fetch("select * from holdfast.cancel_jobs(null)") == []
