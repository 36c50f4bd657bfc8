"""Callbacks of `app.on_event`: one thread, a bounded queue, and no harm to the caller."""

import dataclasses
import logging
import os
import threading
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from holdfast.model.error import BadHandler, InvalidOption
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event
from holdfast.telemetry.hook_event import LogEvent
from holdfast.telemetry.hooks import MOST_WAITING, EventHooks
from tests.patience import PATIENCE

LONG = timedelta(seconds=PATIENCE)
JOB = UUID(int=1)


def test_a_hook_gets_the_event_with_its_fields_and_the_exception() -> None:
    hooks, heard, error = EventHooks(), list[LogEvent](), ValueError("no address")
    hooks.on_event("job.dead", heard.append)
    with hooks.listening():
        emit(Event.JOB_DEAD, exception=error, job=JOB, task="send", attempt=2, reason=None)
        emit(Event.JOB_FAILED, job="j")
        hooks.flush(LONG)
    (event,) = heard
    assert (event.name, event.level, event.exception) == ("job.dead", logging.ERROR, error)
    assert (event.job, event.task, event.attempt) == (JOB, "send", 2)
    assert dict(event.fields) == {"job": JOB, "task": "send", "attempt": 2}


def test_an_event_cannot_be_changed() -> None:
    hooks, heard = EventHooks(), list[LogEvent]()
    hooks.on_event("job.lost", heard.append)
    with hooks.listening():
        emit(Event.JOB_LOST, job="j")
        hooks.flush(LONG)
    event: Any = heard[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        event.name = "other"
    with pytest.raises(TypeError):
        event.fields["job"] = "other"


def test_hooks_run_in_one_thread_in_order_also_those_that_decorate() -> None:
    hooks, heard = EventHooks(), list[tuple[str, str]]()

    @hooks.on_event("job.lost")
    def first(event: LogEvent) -> None:
        heard.append(("first", threading.current_thread().name))

    @hooks.on_event("job.lost")
    def second(event: LogEvent) -> None:
        heard.append(("second", threading.current_thread().name))

    with hooks.listening():
        emit(Event.JOB_LOST, job="j")
        hooks.flush(LONG)
    assert heard == [("first", "holdfast-hooks"), ("second", "holdfast-hooks")]


def test_a_hook_hears_nothing_before_and_after_its_worker() -> None:
    hooks, heard = EventHooks(), list[LogEvent]()
    hooks.on_event("job.lost", heard.append)
    emit(Event.JOB_LOST, job="before")
    with hooks.listening(), hooks.listening():
        emit(Event.JOB_LOST, job="during")
    emit(Event.JOB_LOST, job="after")
    hooks.flush(LONG)
    assert [event.fields["job"] for event in heard] == ["during"], "once, although two workers run"


def test_what_the_queue_cannot_hold_is_dropped_and_counted() -> None:
    hooks, begun, go_on = EventHooks(), threading.Event(), threading.Event()

    @hooks.on_event("job.lost")
    def slow(event: LogEvent) -> None:
        begun.set()
        go_on.wait(PATIENCE)

    with hooks.listening():
        emit(Event.JOB_LOST, job="held")
        assert begun.wait(PATIENCE)
        for number in range(MOST_WAITING + 3):
            emit(Event.JOB_LOST, job=number)
        assert hooks.dropped == 3
        go_on.set()
        hooks.flush(LONG)
    assert hooks.dropped == 3


def test_a_flush_ends_in_time_and_counts_what_is_left() -> None:
    hooks, begun, go_on = EventHooks(), threading.Event(), threading.Event()

    @hooks.on_event("job.lost")
    def stuck(event: LogEvent) -> None:
        begun.set()
        go_on.wait(PATIENCE)

    with hooks.listening():
        emit(Event.JOB_LOST, job="held")
        assert begun.wait(PATIENCE)
        emit(Event.JOB_LOST, job="left")
        hooks.flush(timedelta(milliseconds=1))
    assert hooks.dropped == 1
    go_on.set()
    hooks.flush(LONG)
    assert hooks.dropped == 1


@pytest.mark.parametrize("raised", [RuntimeError("no network"), SystemExit(3), KeyboardInterrupt()])
def test_a_hook_that_raises_is_logged_and_the_others_run(
    raised: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    hooks, heard = EventHooks(), list[LogEvent]()

    @hooks.on_event("job.lost")
    def broken(event: LogEvent) -> None:
        raise raised

    hooks.on_event("job.lost", heard.append)
    hooks.on_event("hook.failed", heard.append)
    with hooks.listening():
        emit(Event.JOB_LOST, job="j")
        hooks.flush(LONG)
    assert [event.name for event in heard] == ["job.lost"], "what a hook logs goes to no hook"
    (told,) = [record for record in caplog.records if vars(record)["event"] == "hook.failed"]
    assert "heard=job.lost" in told.getMessage()
    assert type(raised).__name__ in told.getMessage()


class Unreadable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


def test_a_hook_whose_exception_has_no_text_does_not_end_the_thread_of_the_hooks(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hooks, heard = EventHooks(), list[LogEvent]()

    @hooks.on_event("job.lost")
    def broken(event: LogEvent) -> None:
        raise Unreadable

    hooks.on_event("job.lost", heard.append)
    with hooks.listening():
        emit(Event.JOB_LOST, job="one")
        emit(Event.JOB_LOST, job="two")
        hooks.flush(LONG)
    assert [event.fields["job"] for event in heard] == ["one", "two"]
    assert "Unreadable: (its text raised RuntimeError)" in caplog.text


def test_a_hook_that_raises_the_handlers_exception_logs_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    def again(event: LogEvent, dsn: str) -> None:
        assert event.exception is not None
        raise event.exception

    hooks = EventHooks()
    hooks.on_event("job.failed", partial(again, dsn="https://hidden@example"))
    with hooks.listening():
        emit(Event.JOB_FAILED, job="j", exception=ValueError("the key is sk-hidden"))
        hooks.flush(LONG)
    assert "hook=partial because=ValueError" in caplog.text
    assert "hidden" not in caplog.text


def test_an_unknown_event_and_a_coroutine_function_are_refused() -> None:
    async def too_modern(event: LogEvent) -> None: ...

    with pytest.raises(InvalidOption, match="Holdfast has no event"):
        EventHooks().on_event("job.exploded", print)
    with pytest.raises(BadHandler, match="must be a plain function"):
        EventHooks().on_event("job.failed", too_modern)


def test_a_forked_copy_has_no_hooks_and_does_not_hang() -> None:
    hooks, heard = EventHooks(), list[LogEvent]()
    hooks.on_event("job.lost", heard.append)
    with hooks.listening():
        emit(Event.JOB_LOST, job="j")
        hooks.flush(LONG)
        copy = os.fork()
        if copy == 0:
            emit(Event.JOB_LOST, logging.DEBUG, job="in the copy")
            hooks.flush(timedelta(0))
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]) == 7
