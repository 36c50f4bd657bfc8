import json
from datetime import timedelta

import pytest

from holdfast.model.outcome import (
    Advanced,
    CancelledByRequest,
    Completed,
    ErrorClass,
    ErrorReport,
    Failed,
    Outcome,
    Rejected,
    Released,
    Snoozed,
    Verb,
    end_of,
)
from holdfast.model.payload import JsonText
from holdfast.model.storable_text import ERROR_TEXT_BYTES

OUTPUT = JsonText('{"a":1}')
ERROR = ErrorReport(ErrorClass.TRANSIENT, "ValueError", "no", "Traceback …", "task.py:3 in run")


@pytest.mark.parametrize(
    ("outcome", "verb", "output", "detail"),
    [
        (Completed(), Verb.COMPLETE, None, None),
        (Completed(OUTPUT, 12.5), Verb.COMPLETE, OUTPUT, {"units": 12.5}),
        (
            Failed(ERROR, timedelta(seconds=7), 2.0),
            Verb.FAIL,
            None,
            {
                "class": "transient",
                "outcome": "failed",
                "type": "ValueError",
                "message": "no",
                "traceback": "Traceback …",
                "place": "task.py:3 in run",
                "retry_after": 7.0,
                "units": 2.0,
            },
        ),
        (
            Failed(ErrorReport(ErrorClass.SYSTEM, "TimeoutError", "slow"), timed_out=True),
            Verb.FAIL,
            None,
            {"class": "system", "outcome": "timed_out", "type": "TimeoutError", "message": "slow"},
        ),
        (Snoozed(timedelta(minutes=1), "later"), Verb.SNOOZE, None, {"delay": 60.0, "reason": "later"}),
        (Released("drain"), Verb.RELEASE, None, {"reason": "drain"}),
        (Rejected("spam", OUTPUT), Verb.REJECT, OUTPUT, {"reason": "spam"}),
        (
            Advanced("edit", OUTPUT, queue="slow", delay=timedelta(0)),
            Verb.ADVANCE,
            OUTPUT,
            {"stage": "edit", "queue": "slow", "delay": 0.0},
        ),
        (CancelledByRequest("asked"), Verb.CANCEL, None, {"reason": "asked"}),
    ],
)
def test_every_outcome_becomes_its_verb(
    outcome: Outcome, verb: Verb, output: JsonText | None, detail: object
) -> None:
    end = end_of(outcome)
    assert (end.verb, end.output) == (verb, output)
    assert (None if end.detail is None else json.loads(end.detail)) == detail


def test_no_error_text_prevents_recording_a_failure() -> None:
    hostile = "\x00\ud800" + "ü" * 100_000
    error = ErrorReport(ErrorClass.PERMANENT, hostile, hostile, hostile + "the last line", hostile)
    detail = json.loads(end_of(Failed(error)).detail or "")
    for field in ("type", "message", "traceback", "place"):
        stored = detail[field].encode()
        assert b"\x00" not in stored
        assert len(stored) < ERROR_TEXT_BYTES + 20
    assert detail["traceback"].endswith("the last line")
