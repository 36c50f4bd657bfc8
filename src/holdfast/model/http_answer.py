"""The HTTP answer inside an exception, whichever library raised it; found by its shape, none is imported.

httpx, requests and openai keep it in `response`; aiohttp has `status`, urllib `code`, both with `headers`.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

LONGEST_WAIT = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An error answer: its status and its headers, in lower case."""

    status: int
    headers: Mapping[str, str]

    def retry_after(self, now: datetime | None = None) -> timedelta | None:
        """How long it asks to wait; a date is compared with the answer's own if it has one."""
        if "retry-after-ms" in self.headers:
            return _seconds(self.headers["retry-after-ms"], 0.001)
        asked = self.headers.get("retry-after", "")
        then = _date(asked)
        if then is None:
            return _seconds(asked)
        here = _date(self.headers.get("date", "")) or now or datetime.now(UTC)
        return _bounded((then - here).total_seconds())

    @property
    def limits_the_rate(self) -> bool:
        """Whether its headers say that too much was asked, whatever its status says."""
        used_up = self.headers.get("x-ratelimit-remaining", "").strip() == "0"
        return used_up or "retry-after" in self.headers or "retry-after-ms" in self.headers


def answer_in(exc: BaseException) -> HttpAnswer | None:
    """None if it carries no error answer."""
    for status, carrier in _statuses(exc):
        if status >= 400:
            return HttpAnswer(status, _headers(carrier))
    return None


def status_in(exc: BaseException) -> int | None:
    """Of its error answer, or of any other that it carries: what came with a 200 may be no JSON, say."""
    found = [status for status, _ in _statuses(exc)]
    return next((status for status in found if status >= 400), found[0] if found else None)


def _statuses(exc: BaseException) -> Iterator[tuple[int, object]]:
    """With what carries each. The `code` of SystemExit is no status, nor is a low one of another library."""
    if not isinstance(exc, Exception):
        return
    for carrier in (attribute(exc, "response"), exc):
        for name, least in (("status_code", 200), ("status", 200), ("code", 400)):
            status = attribute(carrier, name)
            if isinstance(status, int) and least <= status <= 599:
                yield int(status), carrier


def attribute(value: object, name: str) -> Any:
    """A property that raises must not hide the failure that is being looked at."""
    try:
        return getattr(value, name, None)
    except Exception:
        return None


def _headers(carrier: object) -> dict[str, str]:
    items = attribute(attribute(carrier, "headers"), "items")
    return {str(name).lower(): str(value) for name, value in items()} if callable(items) else {}


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _seconds(text: str, unit: float = 1.0) -> timedelta | None:
    try:
        return _bounded(float(text) * unit)
    except ValueError:
        return None


def _bounded(seconds: float) -> timedelta | None:
    if math.isnan(seconds):
        return None
    return timedelta(seconds=min(max(seconds, 0.0), LONGEST_WAIT.total_seconds()))
