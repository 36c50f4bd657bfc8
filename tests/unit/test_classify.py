"""One table says which class an exception is; row by row, with the real and the usual shapes."""

import email.message
import urllib.error
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from holdfast.model.classify import STANDARD, Classifier
from holdfast.model.error import InvalidOption
from holdfast.model.http_answer import HttpAnswer
from holdfast.model.outcome import ErrorClass

NOW = datetime(2030, 1, 1, tzinfo=UTC)


@dataclass
class Response:
    """As httpx and requests have it."""

    status_code: int
    headers: dict[str, str] = field(default_factory=dict)


class InResponseError(Exception):
    """httpx.HTTPStatusError, requests.HTTPError, openai.APIStatusError."""

    def __init__(self, response: Response | None) -> None:
        super().__init__("refused")
        self.response = response


class InItselfError(Exception):
    """aiohttp.ClientResponseError."""

    def __init__(self, status: int, headers: dict[str, str] | None) -> None:
        super().__init__("refused")
        self.status = status
        self.headers = headers


def by_urllib(status: int, headers: dict[str, str]) -> Exception:
    message = email.message.Message()
    for name, value in headers.items():
        message[name] = value
    return urllib.error.HTTPError("http://model", status, "refused", message, None)


SHAPES: dict[str, Any] = {
    "httpx": lambda status, headers: InResponseError(Response(status, headers)),
    "aiohttp": InItselfError,
    "urllib": by_urllib,
}
TABLE: list[tuple[int, dict[str, str], str, float | None]] = [
    (429, {}, "rate_limited", None),
    (429, {"Retry-After": "7"}, "rate_limited", 7),
    (429, {"retry-after": "1.5"}, "rate_limited", 1.5),
    (429, {"retry-after-ms": "250", "Retry-After": "1"}, "rate_limited", 0.25),
    (503, {"Retry-After": "30"}, "rate_limited", 30),
    (529, {"Retry-After": "3"}, "rate_limited", 3),
    (503, {}, "transient", None),
    (529, {}, "transient", None),
    (500, {}, "transient", None),
    (500, {"Retry-After": "9"}, "transient", 9),
    (502, {}, "transient", None),
    (504, {}, "transient", None),
    (408, {}, "transient", None),
    (400, {}, "permanent", None),
    (401, {}, "permanent", None),
    (404, {}, "permanent", None),
    (413, {}, "permanent", None),
    (422, {}, "permanent", None),
    (403, {}, "permanent", None),
    (403, {"X-RateLimit-Remaining": "17"}, "permanent", None),
    (403, {"X-RateLimit-Remaining": "0"}, "rate_limited", None),
    (403, {"Retry-After": "60"}, "rate_limited", 60),
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("status", "headers", "said", "wait"), TABLE)
def test_an_answer_is_classified_by_status_and_headers(
    shape: str, status: int, headers: dict[str, str], said: str, wait: float | None
) -> None:
    verdict = STANDARD(SHAPES[shape](status, headers))
    assert verdict.error_class == said
    assert verdict.retry_after == (None if wait is None else timedelta(seconds=wait))


@pytest.mark.parametrize(
    "exc",
    [
        TimeoutError(),
        ConnectionRefusedError(111, "refused"),
        ConnectionResetError(),
        urllib.error.URLError(OSError("no route")),
        ValueError("anything else"),
        InResponseError(None),
        InItselfError(200, None),
        InItselfError(7, None),
        SystemExit(404),
    ],
    ids=repr,
)
def test_what_carries_no_error_answer_is_transient(exc: BaseException) -> None:
    verdict = STANDARD(exc)
    assert (verdict.error_class, verdict.retry_after) == (ErrorClass.TRANSIENT, None)


def test_a_date_is_compared_with_the_answers_own() -> None:
    then = format_datetime(NOW + timedelta(seconds=90), usegmt=True)
    assert HttpAnswer(429, {"retry-after": then}).retry_after(NOW) == timedelta(seconds=90)
    skewed = {"retry-after": then, "date": format_datetime(NOW + timedelta(seconds=60), usegmt=True)}
    assert HttpAnswer(429, skewed).retry_after(NOW) == timedelta(seconds=30)
    past = format_datetime(NOW - timedelta(hours=1), usegmt=True)
    assert HttpAnswer(429, {"retry-after": past}).retry_after(NOW) == timedelta(0)


@pytest.mark.parametrize(
    ("text", "wait"), [("soon", None), ("", None), ("nan", None), ("-5", 0.0), ("1e300", 86_400.0)]
)
def test_an_odd_wait_is_bounded_or_none(text: str, wait: float | None) -> None:
    found = HttpAnswer(429, {"retry-after": text}).retry_after(NOW)
    assert found == (None if wait is None else timedelta(seconds=wait))


class BusyError(Exception):
    retry_after = 12


class VeryBusyError(BusyError): ...


class EvilError(Exception):
    @property
    def response(self) -> None:
        raise RuntimeError("no response yet")


def test_a_task_adds_classes_by_type_and_the_nearest_type_wins() -> None:
    classify = Classifier.parse({BusyError: "rate_limited", VeryBusyError: "system", OSError: "permanent"})
    assert classify(BusyError()).retry_after == timedelta(seconds=12)
    assert classify(BusyError()).error_class is ErrorClass.RATE_LIMITED
    assert classify(VeryBusyError()).error_class is ErrorClass.SYSTEM
    assert classify(ConnectionResetError()).error_class is ErrorClass.PERMANENT
    assert classify(ValueError()).error_class is ErrorClass.TRANSIENT


def test_a_task_adds_a_function_which_may_leave_it_to_the_table() -> None:
    classify = Classifier.parse(lambda exc: "permanent" if "policy" in str(exc) else None)
    assert classify(ValueError("against policy")).error_class is ErrorClass.PERMANENT
    assert classify(InItselfError(429, {"Retry-After": "2"})).error_class is ErrorClass.RATE_LIMITED


def test_a_property_that_raises_does_not_hide_the_failure() -> None:
    assert STANDARD(EvilError()).error_class is ErrorClass.TRANSIENT


@pytest.mark.parametrize("rules", [{"BusyError": "transient"}, {BusyError: "odd"}, {int: "transient"}, 5])
def test_rules_that_cannot_be_are_refused_at_once(rules: Any) -> None:
    with pytest.raises(InvalidOption):
        Classifier.parse(rules)


@pytest.mark.parametrize(("status", "headers", "said", "_"), TABLE)
def test_only_an_answer_that_does_not_know_us_is_a_refusal(
    status: int, headers: dict[str, str], said: str, _: float | None
) -> None:
    verdict = STANDARD(InItselfError(status, headers))
    assert verdict.refused == (status in (401, 403) and said == "permanent")


def test_what_the_task_itself_calls_permanent_is_no_refusal() -> None:
    assert not Classifier.parse({InItselfError: "permanent"})(InItselfError(401, {})).refused
