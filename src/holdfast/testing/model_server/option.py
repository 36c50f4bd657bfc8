"""Kinds of options: each reads what Python, JSON or the command line gives, or says what it wants."""

from collections.abc import Callable
from datetime import timedelta
from enum import StrEnum
from math import isfinite
from typing import Annotated, TypeVar, get_type_hints

from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import InvalidOption

Read = Callable[[str, object], object]
E = TypeVar("E", bound=StrEnum)


def readers_of(kind: type) -> dict[str, Read]:
    """The reader of each field, which its annotation carries."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: hint.__metadata__[0] for name, hint in hints.items()}


def read_share(name: str, value: object) -> float:
    given = read_number(name, value)
    if given > 1:
        raise InvalidOption(f"{name} {value!r} is not a share.", "it is a number from 0 (none) to 1 (all)")
    return given


def read_positive(name: str, value: object) -> float:
    given = read_number(name, value)
    if given == 0:
        raise InvalidOption(f"{name} must be above 0.", "for a server that does nothing there is outage=hang")
    return given


def read_number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or value < 0:
        raise InvalidOption(f"{name} {value!r} is not a number from 0.", "write it as 0.5")
    return float(value)


def read_count(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InvalidOption(f"{name} {value!r} is not a whole number from 0.", f"write {name} as 4")
    return value


def read_limit(name: str, value: object) -> int | None:
    """None: no limit."""
    return None if value is None else read_at_least_one(name, value)


def read_at_least_one(name: str, value: object) -> int:
    given = read_count(name, value)
    if given == 0:
        raise InvalidOption(f"{name} must be at least 1.", f"write {name} as 4")
    return given


def read_duration(name: str, value: object) -> timedelta:
    if not isinstance(value, Duration):
        raise InvalidOption(f"{name} {value!r} is not a duration.", 'write 2.5 (seconds) or "250ms"')
    return parse_duration(value)


def one_of(kind: type[E]) -> Read:
    def read(name: str, value: object) -> E:
        if not isinstance(value, str) or value not in [*kind]:
            raise InvalidOption(f"{name} has no value {value!r}.", f"it is one of: {', '.join(kind)}")
        return kind(value)

    return read


Count = Annotated[int, read_count]
AtLeastOne = Annotated[int, read_at_least_one]
Limit = Annotated[int | None, read_limit]
Number = Annotated[float, read_number]
Positive = Annotated[float, read_positive]
Share = Annotated[float, read_share]
Time = Annotated[timedelta, read_duration]
