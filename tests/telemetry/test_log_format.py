"""A log record as a line for people, on a terminal of 80 and of 120 columns, and as JSON."""

import json
import logging
import re
from datetime import UTC, datetime
from io import StringIO
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from holdfast.model.id import JobId
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event
from holdfast.telemetry.job_log import JobLogFilter, running_attempt
from holdfast.telemetry.log_format import JsonFormatter, LineFormatter
from tests.telemetry.claimed import claimed_job

JOB = JobId(UUID("01a1e924-306f-74ba-9157-876253520d71"))
WORKER = UUID("1386d00c-0e99-4e21-a530-6cd89d77021d")
AT = datetime(2026, 11, 17, 10, 54, 32, tzinfo=UTC)
COLOUR = re.compile(r"\x1b\[\d+m")


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def record_of(caplog: pytest.LogCaptureFixture, event: Event, **fields: Any) -> logging.LogRecord:
    with caplog.at_level(logging.DEBUG, "holdfast"):
        emit(event, **fields)
    return caplog.records[-1]


@pytest.fixture
def failed(caplog: pytest.LogCaptureFixture) -> logging.LogRecord:
    return record_of(
        caplog,
        Event.JOB_FAILED,
        job=JOB,
        task="send_mail",
        queue="mail",
        attempt=2,
        worker=WORKER,
        seconds=0.1634,
        error="ValueError",
        because="no such address\nERROR forged",
        place="mail.py:12 in send",
        retry_at=AT,
        next="retry",
    )


def test_a_failure_is_one_line_with_message_attempt_and_what_follows(failed: logging.LogRecord) -> None:
    line = LineFormatter(StringIO()).format(failed)
    head, _, told = line.partition(" WARNING ")
    assert re.fullmatch(rf"\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{{3}} {failed.process}", head)
    assert told == (
        "job failed: send_mail 876253520d71 attempt 2: ValueError: no such address\\nERROR forged"
        f" (mail.py:12 in send), after 0.163 s, retry at {AT.astimezone():%H:%M:%S}"
    )


@pytest.mark.parametrize(("columns", "lines"), [(80, 4), (120, 2)])
def test_on_a_terminal_a_line_is_wrapped_to_its_width(
    failed: logging.LogRecord, monkeypatch: pytest.MonkeyPatch, columns: int, lines: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = LineFormatter(Terminal()).format(failed)
    plain = COLOUR.sub("", shown).splitlines()
    assert len(plain) <= lines
    assert max(map(len, plain)) <= columns
    indent = len(f"10:00:00 {failed.process} WARNING ")
    assert all(line.startswith(" " * indent) for line in plain[1:]), "a line of the log never begins blank"
    assert "\x1b[33mWARNING\x1b[0m" in shown


def test_colours_are_for_terminals_and_can_be_switched_off(
    failed: logging.LogRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "\x1b" not in LineFormatter(StringIO()).format(failed)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in LineFormatter(Terminal()).format(failed)


def test_json_is_one_object_with_all_fields(failed: logging.LogRecord) -> None:
    line = JsonFormatter().format(failed)
    assert "\n" not in line
    document = json.loads(line)
    assert datetime.fromisoformat(document.pop("time")).tzinfo is not None
    assert document.pop("message").startswith("job failed: send_mail 876253520d71 attempt 2: ValueError: ")
    assert document == {
        "level": "warning",
        "logger": "holdfast",
        "pid": failed.process,
        "event": "job.failed",
        "job": str(JOB),
        "task": "send_mail",
        "queue": "mail",
        "attempt": 2,
        "worker": str(WORKER),
        "seconds": 0.1634,
        "error": "ValueError",
        "because": "no such address\nERROR forged",
        "place": "mail.py:12 in send",
        "retry_at": AT.isoformat(),
        "next": "retry",
    }


def test_the_lines_of_a_traceback_are_indented(caplog: pytest.LogCaptureFixture) -> None:
    trace = 'Traceback (most recent call last):\n  File "mail.py", line 12, in send\nValueError: no'
    dead = record_of(
        caplog, Event.JOB_DEAD, job=JOB, task="t", attempt=3, reason="failed_too_often", traceback=trace
    )
    first, *below = LineFormatter(StringIO()).format(dead).splitlines()
    assert first.endswith("job dead: t 876253520d71 attempt 3, failed too often")
    assert below == [f"    {line}" for line in trace.splitlines()]
    assert json.loads(JsonFormatter().format(dead))["traceback"] == trace


def test_a_long_message_is_cut_for_people_only(caplog: pytest.LogCaptureFixture) -> None:
    long = record_of(caplog, Event.JOB_FAILED, job=JOB, task="t", attempt=1, because="x" * 8000)
    assert len(LineFormatter(StringIO()).format(long)) < 700
    assert json.loads(JsonFormatter().format(long))["because"] == "x" * 8000


def test_other_events_show_their_fields(caplog: pytest.LogCaptureFixture) -> None:
    started = record_of(caplog, Event.WORKER_STARTED, worker=WORKER, queues="mail")
    assert (
        LineFormatter(StringIO())
        .format(started)
        .endswith(" INFO    worker started: worker=6cd89d77021d queues=mail")
    )


def test_a_record_of_the_app_names_its_logger_and_its_job() -> None:
    record = logging.LogRecord("shop.mail", logging.INFO, __file__, 1, "sent %s\nforged", ("it",), None)
    attempt: Any = SimpleNamespace(job=claimed_job(JOB, "send_mail", 2))
    before = running_attempt.set(attempt)
    JobLogFilter().filter(record)
    running_attempt.reset(before)
    line = LineFormatter(StringIO()).format(record)
    assert line.endswith(r" INFO    shop.mail: sent it\nforged [send_mail 876253520d71 attempt 2]")
    document = json.loads(JsonFormatter().format(record))
    assert (document["job"], document["task"], document["attempt"]) == (str(JOB), "send_mail", 2)
    assert "event" not in document


def test_outside_a_job_the_filter_adds_names_without_values() -> None:
    record = logging.LogRecord("shop", logging.INFO, __file__, 1, "starting", (), None)
    assert JobLogFilter().filter(record)
    assert logging.Formatter("%(job)s %(message)s").format(record) == "None starting"
    assert LineFormatter(StringIO()).format(record).endswith(" INFO    shop: starting")


def test_fields_of_the_same_name_in_another_library_s_record_are_not_an_event() -> None:
    record = logging.makeLogRecord({"name": "other", "msg": "hello", "event": "x.y", "fields": {"job": 1}})
    JobLogFilter().filter(record)
    assert LineFormatter(StringIO()).format(record).endswith("other: hello")


def test_an_exception_that_the_app_logs_is_indented() -> None:
    try:
        raise ValueError("a\nERROR forged")
    except ValueError as exc:
        info = (type(exc), exc, exc.__traceback__)
    record = logging.LogRecord("shop", logging.ERROR, __file__, 1, "it broke", (), info)
    JobLogFilter().filter(record)
    first, *below = LineFormatter(StringIO()).format(record).splitlines()
    assert first.endswith("shop: it broke")
    assert below[-1] == "    ERROR forged"
    assert all(line.startswith("    ") for line in below)
    assert json.loads(JsonFormatter().format(record))["traceback"].startswith("Traceback")
