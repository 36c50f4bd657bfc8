"""Reads the header Retry-After of an answer: seconds, milliseconds or a date."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

LONGEST_WAIT = timedelta(days=1)


def read_retry_after(headers: Mapping[str, str], now: datetime | None = None) -> timedelta | None:
    """How long to wait; a date is compared with the answer's own date, if it has one."""
    if "retry-after-ms" in headers:
        return _seconds(headers["retry-after-ms"], 0.001)
    asked = headers.get("retry-after", "")
    then = _date(asked)
    if then is None:
        return _seconds(asked)
    here = _date(headers.get("date", "")) or now or datetime.now(UTC)
    return _bounded((then - here).total_seconds())


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
