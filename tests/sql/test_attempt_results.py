"""What became of failed attempts, for the log of their worker."""

from holdfast.db.connect import Connection
from holdfast.db.worker import attempt_results
from holdfast.model.id import JobId
from holdfast.model.state import State
from tests.builders import cancel, complete, dead_job, fail, running_job


async def test_a_retry_has_its_time_and_the_message_without_secrets(conn: Connection) -> None:
    job = await running_job(conn)
    assert await fail(conn, job, message="password=hunter2hunter2 was refused", traceback="Traceback")
    (found,) = await attempt_results(conn, [JobId(job.id)], [1])
    assert (found.outcome, found.error_class, found.error_type) == ("failed", "transient", "ValueError")
    assert (found.message, found.state) == ("password=[redacted] was refused", State.SCHEDULED)
    assert found.retry_at == await conn.fetchval("select due_at from holdfast.job_view where id = $1", job.id)
    assert (found.reason, found.traceback) == (None, None)


async def test_a_dead_job_has_its_reason_and_traceback(conn: Connection) -> None:
    job = await running_job(conn)
    assert await fail(conn, job, "permanent", traceback="Traceback: token=abcdef0123456789")
    (found,) = await attempt_results(conn, [JobId(job.id)], [1])
    assert (found.state, found.reason, found.retry_at) == (State.DEAD, "permanent", None)
    assert found.traceback == "Traceback: token=[redacted]"


async def test_a_deferral_and_a_cancelled_job_are_told_apart(conn: Connection) -> None:
    late, cancelled = await running_job(conn, queue="a"), await running_job(conn, queue="b")
    await cancel(conn, cancelled.id)
    assert await fail(conn, late, "rate_limited")
    assert await fail(conn, cancelled)
    first, second = await attempt_results(conn, [JobId(late.id), JobId(cancelled.id)], [1, 1])
    assert (first.outcome, first.state) == ("deferred", State.SCHEDULED)
    assert (second.state, second.retry_at) == (State.CANCELLED, None)


async def test_other_attempts_have_no_row(conn: Connection) -> None:
    done, dead = await running_job(conn, queue="a"), await dead_job(conn, queue="b")
    await complete(conn, done)
    assert await attempt_results(conn, [JobId(done.id), JobId(dead.id)], [1, 7]) == []
