"""Examples of answers for the OpenAPI document, with every field of the type that is answered."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints
from uuid import UUID

ID = "0198f1a2-7d3c-7b1e-9c55-0a6f2d4e8b11"
TIME = "2030-01-31T09:00:00Z"
_VALUES: Mapping[type, Any] = {
    str: "text",
    int: 1,
    float: 1.5,
    bool: False,
    datetime: TIME,
    timedelta: 30.0,
    date: "2030-01-31",
    UUID: ID,
}


def sample(kind: type, **given: Any) -> dict[str, Any]:
    """One value of a dataclass; `given` are fields whose value should say more.

    No field is null, because FastAPI leaves those out of the document.
    """
    hints = get_type_hints(kind)
    return {one.name: given.get(one.name, _value(hints[one.name])) for one in fields(kind)}


def _value(hint: Any) -> Any:
    hint = getattr(hint, "__supertype__", hint)
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return _value(next(one for one in get_args(hint) if one is not NoneType))
    kind = origin or hint
    if kind is Any or not isinstance(kind, type):
        return {}
    if is_dataclass(kind):
        return sample(kind)
    if issubclass(kind, StrEnum):
        return str(next(iter(kind)))
    if issubclass(kind, list | tuple):
        return []
    return {} if issubclass(kind, Mapping) else _VALUES.get(kind)
