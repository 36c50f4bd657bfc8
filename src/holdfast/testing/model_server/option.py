"""Fields of a behaviour: each reads what Python, JSON or the command line gives, or says what it wants."""

from collections.abc import Callable, Mapping
from dataclasses import field
from datetime import timedelta
from enum import StrEnum
from math import isfinite
from typing import Any, TypeVar

from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import InvalidOption

Read = Callable[[str, object], object]
E = TypeVar("E", bound=StrEnum)


def whole(default: int, least: int = 0) -> int:
    return field(default=default, metadata=_reader(lambda name, value: _whole(name, value, least)))


def whole_or_none(least: int) -> int | None:
    def read(name: str, value: object) -> int | None:
        return None if value is None else _whole(name, value, least)

    return field(default=None, metadata=_reader(read))


def number(default: float, above: float | None = None) -> float:
    """Zero or more, or more than `above`."""

    def read(name: str, value: object) -> float:
        given = _number(name, value)
        if given < 0 or (above is not None and given <= above):
            raise InvalidOption(f"{name} {value!r} is too small.", f"it must be above {above or 0}")
        return given

    return field(default=default, metadata=_reader(read))


def share() -> float:
    """Of all calls, from 0 to 1."""
    return _share(0.0)


def share_of_all() -> float:
    return _share(1.0)


def duration(default: timedelta) -> timedelta:
    def read(name: str, value: object) -> timedelta:
        if not isinstance(value, Duration):
            raise InvalidOption(f"{name} {value!r} is not a duration.", 'write 2.5 (seconds) or "250ms"')
        return parse_duration(value)

    return field(default=default, metadata=_reader(read))


def choice(default: E) -> E:
    kind = type(default)

    def read(name: str, value: object) -> E:
        if not isinstance(value, str) or value not in [*kind]:
            raise InvalidOption(f"{name} has no value {value!r}.", f"it is one of: {', '.join(kind)}")
        return kind(value)

    return field(default=default, metadata=_reader(read))


def _share(default: float) -> float:
    def read(name: str, value: object) -> float:
        given = _number(name, value)
        if not 0 <= given <= 1:
            raise InvalidOption(
                f"{name} {value!r} is not a share.", "it is a number from 0 (none) to 1 (all)"
            )
        return given

    return field(default=default, metadata=_reader(read))


def _whole(name: str, value: object, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidOption(f"{name} {value!r} is not a whole number from {least}.", f"try {name}={least}")
    return value


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise InvalidOption(f"{name} {value!r} is not a number.", "write it as 0.5")
    return float(value)


def _reader(read: Read) -> Mapping[str, Any]:
    return {"read": read}
