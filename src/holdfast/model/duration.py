"""Durations as people write and read them: "250ms", "25s", "5m", "1.5h", "2d"; a number is seconds."""

import math
import re
from datetime import timedelta

from holdfast.model.error import InvalidOption

Duration = timedelta | str | int | float

LONGEST = timedelta(days=36_500)

_SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0, "w": 604_800.0}
_LARGE = {"d": 86_400, "h": 3_600, "min": 60}
_SHAPE = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|d|w)?")
_HINT = 'write a number of seconds or a string such as "250ms", "25s", "5m", "1.5h" or "2d"'


def parse_duration(value: Duration) -> timedelta:
    """`value` as a timedelta, never negative and at most a hundred years."""
    if isinstance(value, timedelta):
        return _bounded(value.total_seconds(), value)
    if isinstance(value, str):
        return _bounded(_seconds_in(value), value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidOption(
            f"A duration must be a number of seconds or a string with a unit (got {value!r}).", _HINT
        )
    return _bounded(value, value)


def short(length: timedelta) -> str:
    """With two digits or so: 8 ms, 1.2 s, 75 s, 3 min. In SQL: holdfast.span_words."""
    seconds = max(0.0, length.total_seconds())
    for unit, size in _LARGE.items():
        if seconds >= 2 * size:
            return f"{seconds // size:.0f} {unit}"
    if seconds >= 9.95:
        return f"{_rounded(seconds)} s"
    if seconds >= 0.9995:
        return f"{_rounded(seconds * 10) / 10:g} s"
    return f"{milliseconds} ms" if (milliseconds := _rounded(seconds * 1000)) else "0 s"


def exact(length: timedelta) -> str:
    """Without rounding: 30 d, 90 s, 1.5 s."""
    seconds = length.total_seconds()
    for unit, size in _LARGE.items():
        if seconds and seconds % size == 0:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:g} s"


def _rounded(number: float) -> int:
    """As in SQL: a half is rounded up."""
    return math.floor(number + 0.5)


def _seconds_in(text: str) -> float:
    found = _SHAPE.fullmatch(text.strip().lower())
    if found is None:
        raise InvalidOption(
            f"A duration must be a number of seconds or a string with a unit (got {text!r}).", _HINT
        )
    number, unit = found.groups()
    return float(number) * _SECONDS[unit or "s"]


def _bounded(seconds: float, value: Duration) -> timedelta:
    """Compared first: an integer may be too large to be a float."""
    if seconds > LONGEST.total_seconds():
        raise InvalidOption(f"A duration must be at most {LONGEST.days} days (got {value!r}).", _HINT)
    if seconds < 0 or math.isnan(seconds):
        raise InvalidOption(f"A duration must be zero or more (got {value!r}).", _HINT)
    return timedelta(seconds=seconds)
