"""What a worker logs about its jobs, and what hooks get of it."""

import asyncio
import logging
import threading
from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from holdfast import (
    Cancelled,
    Holdfast,
    JobContext,
    LogEvent,
    Permanent,
    RateLimited,
    Reject,
    Snooze,
)
from holdfast.model.id import JobId, WorkerId
from holdfast.model.outcome import DONE, ErrorClass, ErrorReport, Failed, end_of
from holdfast.model.worker import LostEnd
from holdfast.telemetry.hooks import MOST_WAITING
from holdfast.worker.events import job_events
from holdfast.worker.events.job_events import JobEvents
from holdfast.worker.worker import Worker
from tests.patience import PATIENCE
from tests.telemetry.claimed import claimed_job
from tests.worker.executors import Slow, Unreachable
from tests.worker.working import ended, until, working

JOB = JobId(UUID("01a1e924-306f-74ba-9157-876253520d71"))
SECRET = "no such address, password=hunter2hunter2"


@pytest.fixture
def at_debug(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.DEBUG, "holdfast"):
        yield caplog


def events(log: pytest.LogCaptureFixture, prefix: str = "job.") -> list[tuple[str, dict[str, object]]]:
    found = [vars(record) for record in log.records if record.name == "holdfast"]
    return [(one["event"], one["fields"]) for one in found if one["event"].startswith(prefix)]


async def drained(app: Holdfast) -> Worker:
    worker = Worker(app, ["default"], drain=True)
    await worker.run()
    return worker


async def test_a_success_is_logged_at_debug_only(app: Holdfast, at_debug: pytest.LogCaptureFixture) -> None:
    @app.task()
    async def greet() -> None: ...

    job = await greet.enqueue()
    worker = await drained(app)
    (began, start), (done, end) = events(at_debug)
    assert (began, done) == ("job.started", "job.completed")
    known = {"job": job.id, "task": "greet", "queue": "default", "attempt": 1, "worker": worker.id}
    assert start == known
    assert end == {**known, "seconds": end["seconds"]}
    assert {record.levelno for record in at_debug.records if "job." in record.getMessage()} == {logging.DEBUG}


async def test_a_failure_says_its_message_without_secrets_and_when_it_is_retried(
    app: Holdfast, caplog: pytest.LogCaptureFixture
) -> None:
    @app.task(retry=["1h"], max_failures=3)
    async def send() -> None:
        raise ValueError(SECRET)

    job = await send.enqueue()
    async with working(app):
        await until(lambda: logged(caplog, "job.failed"))
    ((_, told),) = events(caplog)
    assert (told["job"], told["task"], told["attempt"]) == (job.id, "send", 1)
    assert (told["class"], told["error"]) == ("transient", "ValueError")
    assert told["because"] == "no such address, password=[redacted]"
    assert str(told["place"]).endswith(" in send")
    assert (told["next"], told["retry_at"]) == ("retry", (await job.job()).due_at)
    assert "hunter2" not in caplog.text


async def test_a_dead_letter_is_an_error_with_its_reason_and_traceback(
    app: Holdfast, caplog: pytest.LogCaptureFixture
) -> None:
    @app.task(max_failures=1)
    def send() -> None:
        raise ValueError(SECRET)

    job = await send.enqueue()
    await drained(app)
    ((name, told),) = events(caplog)
    assert (name, told["job"], told["reason"]) == ("job.dead", job.id, "failed_too_often")
    first, *frames, last = str(told["traceback"]).splitlines()
    assert first == "Traceback (most recent call last):"
    assert any(frame.endswith("in send") for frame in frames)
    assert last == "ValueError: no such address, password=[redacted]"
    assert "hunter2" not in caplog.text
    (record,) = [one for one in caplog.records if one.name == "holdfast"]
    assert record.levelno == logging.ERROR


@pytest.mark.parametrize(
    ("raised", "name", "because"),
    [
        (RateLimited("slow down", retry_after=3600), "job.deferred", "slow down"),
        (Snooze("1h", "token=abc123abc123"), "job.deferred", "the handler snoozed it"),
        (Reject("not ours"), "job.rejected", None),
        (Cancelled("no longer needed"), "job.cancelled", None),
        (Permanent("never"), "job.dead", "never"),
    ],
)
async def test_other_ends_have_events_of_their_own(
    app: Holdfast,
    caplog: pytest.LogCaptureFixture,
    raised: Exception,
    name: str,
    because: str | None,
) -> None:
    @app.task()
    async def work() -> None:
        raise raised

    job = await work.enqueue()
    with caplog.at_level(logging.INFO, "holdfast"):
        async with working(app):
            await until(lambda: logged(caplog, name))
    ((_, told),) = events(caplog)
    assert told["job"] == job.id
    assert because is None or told["because"] == because
    assert "abc123" not in caplog.text


async def test_a_job_that_its_worker_returns_is_deferred(
    app: Holdfast, caplog: pytest.LogCaptureFixture
) -> None:
    begun = asyncio.Event()

    @app.task()
    async def endless() -> None:
        begun.set()
        await asyncio.sleep(PATIENCE)

    await endless.enqueue()
    with caplog.at_level(logging.INFO, "holdfast"):
        async with working(app):
            await asyncio.wait_for(begun.wait(), PATIENCE)
    ((name, told),) = events(caplog)
    assert (name, told["because"]) == ("job.deferred", "the worker is shutting down")


async def test_a_completion_in_its_own_transaction_is_logged(
    app: Holdfast, at_debug: pytest.LogCaptureFixture
) -> None:
    @app.task()
    async def write(ctx: JobContext) -> None:
        async with ctx.transaction():
            pass

    await write.enqueue()
    await drained(app)
    assert [name for name, _ in events(at_debug)] == ["job.started", "job.completed"]


async def test_a_hook_gets_the_exception_of_a_dead_job(app: Holdfast) -> None:
    heard: list[LogEvent] = []
    error = ValueError("no such address")
    app.on_event("job.dead", heard.append)

    @app.task(max_failures=1)
    async def send() -> None:
        raise error

    job = await send.enqueue()
    worker = await drained(app)
    (event,) = heard
    assert (event.exception, event.job, event.task, event.attempt) == (error, job.id, "send", 1)
    assert event.fields["reason"] == "failed_too_often"
    assert worker.report.dropped == 0


async def test_a_hook_hears_successes_although_the_log_does_not(
    app: Holdfast, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[LogEvent] = []
    app.on_event("job.completed", heard.append)

    @app.task()
    async def greet() -> None: ...

    await greet.enqueue_many([greet.call() for _ in range(3)])
    await drained(app)
    assert [event.task for event in heard] == ["greet"] * 3
    assert events(caplog) == []


async def test_a_hook_that_blocks_delays_no_job_and_what_it_misses_is_reported(
    app: Holdfast, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    monkeypatch.setattr("holdfast.worker.events.event_hooks.FLUSH", timedelta(milliseconds=1))

    @app.on_event("job.completed")
    def stuck(event: LogEvent) -> None:
        go_on.wait(PATIENCE)

    @app.task()
    async def greet() -> None: ...

    count = MOST_WAITING + 50
    await greet.enqueue_many([greet.call() for _ in range(count)])
    worker = await drained(app)
    go_on.set()
    assert worker.report.processed == count
    assert worker.report.dropped >= 50
    assert f"hook.events_dropped count={worker.report.dropped}" in caplog.messages
    app.event_hooks.flush(timedelta(seconds=PATIENCE))


async def test_no_event_is_built_for_a_plain_job_that_is_not_wanted(
    app: Holdfast, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: object, **more: object) -> None:
        raise AssertionError("built")

    monkeypatch.setattr(job_events, "Ended", refuse)
    monkeypatch.setattr(job_events, "emit", refuse)

    @app.task()
    async def greet() -> None: ...

    job = await greet.enqueue()
    worker = await drained(app)
    assert (await ended(job)).attempt == 1
    assert worker.report.processed == 1


def test_an_end_that_changed_nothing_is_lost(at_debug: pytest.LogCaptureFixture) -> None:
    told, job = JobEvents(WorkerId(uuid4()), lambda: None), claimed_job(JOB)
    told.started([job])
    told.ended(job, DONE, 0.5, None)
    told.settled([job.id], [job.token], [LostEnd(job.id, job.token)])
    told.settled([job.id], [job.token], [])
    assert [name for name, _ in events(at_debug)] == ["job.started", "job.lost"]
    assert events(at_debug)[1][1]["task"] == "send"


async def test_a_refused_end_is_not_logged_as_a_completed_job(at_debug: pytest.LogCaptureFixture) -> None:
    told, job = JobEvents(WorkerId(uuid4()), lambda: None), claimed_job(JOB)
    told.ended(job, DONE, 0.5, None)
    told.refused(job.id, job.token, end_of(Failed(ErrorReport(ErrorClass.PERMANENT, "EndRefused", "no"))))
    told.settled([job.id], [job.token], [])
    await told.close(Unreachable(), timedelta(seconds=1))
    ((name, fields),) = events(at_debug)
    assert (name, fields["error"]) == ("job.failed", "EndRefused")


async def test_without_the_database_a_failure_is_logged_with_what_the_worker_knows(
    caplog: pytest.LogCaptureFixture,
) -> None:
    told, job = JobEvents(WorkerId(uuid4()), lambda: None), claimed_job(JOB)
    told.started([job])
    report = ErrorReport(ErrorClass.TRANSIENT, "ValueError", SECRET, None, "mail.py:12 in send")
    told.ended(job, end_of(Failed(report)), 0.5, None)
    assert events(caplog) == [], "the database has not answered yet"
    told.settled([job.id], [job.token], [])
    await told.close(Unreachable(), timedelta(seconds=1))
    ((name, fields),) = events(caplog)
    assert (name, fields["error"], fields["place"]) == ("job.failed", "ValueError", "mail.py:12 in send")
    assert "because" not in fields
    assert fields["next"] == "not known here, the database has decided"


async def test_two_reads_at_the_same_time_log_each_failure_once(caplog: pytest.LogCaptureFixture) -> None:
    told, job = JobEvents(WorkerId(uuid4()), lambda: None), claimed_job(JOB)
    told.ended(job, end_of(Failed(ErrorReport(ErrorClass.TRANSIENT, "ValueError", "no"))), 0.5, None)
    told.settled([job.id], [job.token], [])
    on = Slow()
    assert list(await asyncio.gather(told.read(on), told.read(on))) == [1, 1]
    assert [name for name, _ in events(caplog)] == ["job.failed"]


async def logged(log: pytest.LogCaptureFixture, name: str) -> bool:
    return any(event == name for event, _ in events(log))
