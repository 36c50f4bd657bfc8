"""The slow check of a refused payload: which part is wrong, and where it is."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from holdfast.model.describe_value import described

INTEGER_DIGITS = 400
MOST_INTEGER_BITS = 1_325  # 10**399 has 1,326 bits


class ReadAsZero(float):
    """A number in JSON text that is too small for a float."""


class WithRepeatedKey(dict[str, Any]):
    """An object in JSON text that has a key twice."""

    def __init__(self, members: dict[str, Any], key: str) -> None:
        super().__init__(members)
        self.key = key


@dataclass(frozen=True, slots=True)
class Fault:
    path: str
    sentence: str


def find_fault(value: Any, depth: int) -> Fault | None:
    """The first part of `value` that JSON cannot carry, or None."""
    return next(_faults(value, "$", depth), None)


def _faults(value: Any, path: str, depth: int) -> Iterator[Fault]:
    if isinstance(value, dict):
        yield from _object_faults(value, path, depth)
    elif isinstance(value, list | tuple):
        yield from _array_faults(value, path, depth)
    else:
        wrong = _scalar_fault(value)
        if wrong is not None:
            yield Fault(path, f"The payload cannot be stored: {path} is {wrong}.")


def _object_faults(value: Mapping[Any, Any], path: str, depth: int) -> Iterator[Fault]:
    if depth == 0:
        yield _too_deep(path)
        return
    if isinstance(value, WithRepeatedKey):
        place = _member_path(path, value.key)
        yield Fault(place, f"The payload cannot be stored: {place} is given twice.")
        return
    for key, member in value.items():
        if not isinstance(key, str):
            yield Fault(
                path,
                f"The payload cannot be stored: {path} has a {described(key)} as key, not a string.",
            )
            return
        wrong = _text_fault(key)
        if wrong is not None:
            yield Fault(path, f"The payload cannot be stored: a key of {path} is {wrong}.")
            return
        yield from _faults(member, _member_path(path, key), depth - 1)


def _array_faults(value: list[Any] | tuple[Any, ...], path: str, depth: int) -> Iterator[Fault]:
    if depth == 0:
        yield _too_deep(path)
        return
    for index, member in enumerate(value):
        yield from _faults(member, f"{path}[{index}]", depth - 1)


def _too_deep(path: str) -> Fault:
    return Fault(path, f"The payload cannot be stored: it is nested too deeply at {path[:200]}.")


def _member_path(path: str, key: str) -> str:
    """Long keys are cut: each member of an array copies the path."""
    return f"{path}.{key}" if len(key) <= 60 and key.isidentifier() else f"{path}[{key[:60]!r}]"


def _scalar_fault(value: Any) -> str | None:
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, str):
        return _text_fault(value)
    if isinstance(value, int):
        too_long = not -(10 ** (INTEGER_DIGITS - 1)) < value < 10**INTEGER_DIGITS  # a sign counts too
        return f"an integer of more than {INTEGER_DIGITS} digits" if too_long else None
    if isinstance(value, ReadAsZero):
        return "a number so small that it reads as 0"
    if isinstance(value, float):
        return None if math.isfinite(value) else f"{value!r}, which JSON does not have"
    return f"of type {type(value).__name__}, which JSON does not have"


def _text_fault(text: str) -> str | None:
    if "\x00" in text:
        return "text with a NUL character, which PostgreSQL cannot store"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "text with half of a surrogate pair, which is not valid Unicode"
    return None
