"""The JSON Schema of what `answer` makes of a type: of a dataclass, a list, a time, an id."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints
from uuid import UUID

Schema = Mapping[str, Any]

_SCALARS: Mapping[Any, Schema] = {
    NoneType: {"type": "null"},
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    datetime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
    timedelta: {"type": "number", "description": "Seconds."},
    UUID: {"type": "string", "format": "uuid"},
    Any: {"description": "Any JSON value."},
}


def schema_of(hint: Any) -> Schema:
    """Raises TypeError for a type that no answer has yet: it must not stand there as any value."""
    hint = getattr(hint, "__supertype__", hint)
    if hint in _SCALARS:
        return _SCALARS[hint]
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        return _one_of([schema_of(one) for one in inner])
    if kind in (list, tuple):
        return {"type": "array", "items": schema_of(inner[0])}
    if is_dataclass(kind) and isinstance(kind, type):
        return object_of({name: schema_of(one) for name, one in types_of(hint).items()})
    if isinstance(kind, type) and issubclass(kind, Mapping):
        return {"type": "object", "additionalProperties": schema_of(inner[1])}
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return {"type": "string", "enum": [str(one) for one in kind]}
    raise TypeError(f"There is no JSON Schema for {hint}.")


def types_of(hint: Any) -> dict[str, Any]:
    """Of the fields of a dataclass; `Part[QueueReport]` has the fields of Part, for this type."""
    kind, given = get_origin(hint) or hint, get_args(hint)
    known = dict(zip(getattr(kind, "__parameters__", ()), given, strict=False))
    hints = get_type_hints(kind)
    return {one.name: _filled(hints[one.name], known) for one in fields(kind)}


def object_of(properties: Mapping[str, Schema]) -> Schema:
    """An answer has all its fields. It may have more in a later version, so that others are not excluded."""
    return {"type": "object", "properties": dict(properties), "required": list(properties)}


def _filled(hint: Any, known: Mapping[Any, Any]) -> Any:
    open_types = getattr(hint, "__parameters__", ())
    return hint[tuple(known[one] for one in open_types)] if open_types else known.get(hint, hint)


def _one_of(kinds: list[Schema]) -> Schema:
    """Written as a list of types where each is nothing but a type."""
    if any("type" not in one for one in kinds):
        return _SCALARS[Any]
    if all(one.keys() <= {"type", "format", "description"} for one in kinds):
        return {
            **{name: word for one in kinds for name, word in one.items()},
            "type": [one["type"] for one in kinds],
        }
    return {"anyOf": kinds}
