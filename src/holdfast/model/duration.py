"""Durations as people write and read them: "250ms", "25s", "5m", "1.5h", "2d"; a number is seconds."""

import math
import re
from datetime import timedelta

from holdfast.model.error import InvalidOption

Duration = timedelta | str | int | float

LONGEST = timedelta(days=36_500)

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0, "w": 604_800.0}
_LARGE = {"d": 86_400, "h": 3_600, "m": 60}
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


def short(length: timedelta) -> str:
    """For people, as parse_duration takes it: 8ms, 1.2s, 75s, 3m. In SQL: holdfast.span_words."""
    seconds = max(0.0, length.total_seconds())
    for unit, size in _LARGE.items():
        if seconds >= 2 * size:
            return f"{seconds // size:.0f}{unit}"
    if seconds >= 9.95:
        return f"{_rounded(seconds)}s"
    if seconds >= 0.9995:
        return f"{_rounded(seconds * 10) / 10:g}s"
    return f"{milliseconds}ms" if (milliseconds := _rounded(seconds * 1000)) else "0s"


def _rounded(number: float) -> int:
    """As SQL does it: a half goes up."""
    return math.floor(number + 0.5)


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
