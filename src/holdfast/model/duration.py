"""Durations as people write them: "25s", "5m", "1.5h", "2d", "250ms", 30 (seconds), or a timedelta."""

import math
import re
from datetime import timedelta

from holdfast.model.error import InvalidOption

Duration = timedelta | str | int | float

LONGEST = timedelta(days=36_500)

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0, "w": 604_800.0}
_SHAPE = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)?")
_HINT = 'write a number of seconds or a text such as "250ms", "25s", "5m", "1.5h" or "2d"'


def parse_duration(value: Duration) -> timedelta:
    """The timedelta that `value` means; it is never negative and at most a hundred years."""
    if isinstance(value, timedelta):
        return _bounded(value.total_seconds(), value)
    if isinstance(value, str):
        return _bounded(_seconds_in(value), value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidOption(f"{value!r} is not a duration.", _HINT)
    return _bounded(value, value)


def _seconds_in(text: str) -> float:
    found = _SHAPE.fullmatch(text.strip().lower())
    if found is None:
        raise InvalidOption(f"{text!r} is not a duration.", _HINT)
    number, unit = found.groups()
    return float(number) * _SECONDS[unit or "s"]


def _bounded(seconds: float, value: Duration) -> timedelta:
    if math.isnan(seconds) or seconds < 0:
        raise InvalidOption(f"{value!r} is not a duration: it must be zero or more.", _HINT)
    if seconds > LONGEST.total_seconds():
        raise InvalidOption(f"{value!r} is too long: a duration is at most {LONGEST.days} days.", _HINT)
    return timedelta(seconds=seconds)
