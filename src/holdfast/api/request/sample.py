"""What the OpenAPI document says of an answer: an example, and the schema that all such answers have."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin
from uuid import UUID

from holdfast.api.request.json_schema import Schema, object_of, schema_of, types_of

ID = "0198f1a2-7d3c-7b1e-9c55-0a6f2d4e8b11"
TIME = "2030-01-31T09:00:00Z"
_MADE_UP: Any = object()
_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
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


@dataclass(frozen=True, slots=True)
class Sample:
    """A value, and the schema of all values that can stand in its place."""

    example: Any
    schema: Schema


def sample(kind: type, **given: Any) -> dict[str, Any]:
    """A dataclass, field by field; `given` are fields whose example should say more.

    No example is null, because FastAPI leaves those out of the document.
    """
    hints = types_of(kind)
    return {name: typed(hint, given.get(name, _MADE_UP)) for name, hint in hints.items()}


def typed(kind: Any, example: Any = _MADE_UP) -> Sample:
    """A value of this type, such as `str | None`."""
    return Sample(_value(kind) if example is _MADE_UP else example, schema_of(kind))


def sampled(value: Any) -> Sample:
    """What a literal says: an object has these fields, a list such items; a text, number or truth value is of
    its kind and never null. A value that may be of another kind must be a sample.
    """
    if isinstance(value, Sample):
        return value
    if isinstance(value, dict):
        found = {name: sampled(one) for name, one in value.items()}
        examples = {name: one.example for name, one in found.items()}
        return Sample(examples, object_of({name: one.schema for name, one in found.items()}))
    if isinstance(value, list):
        items = [sampled(one) for one in value]
        return Sample([one.example for one in items], {"type": "array", "items": items[0].schema})
    example = str(value) if isinstance(value, StrEnum) else value
    return Sample(example, schema_of(UUID if _UUID.fullmatch(str(value)) else type(value)))


def either(*values: Any) -> Sample:
    """Any of these; the first is the example."""
    found = [sampled(one) for one in values]
    return Sample(found[0].example, {"anyOf": [one.schema for one in found]})


def with_others(value: dict[str, Any]) -> Sample:
    """An object that has other fields too, which its caller chose."""
    one = sampled(value)
    return Sample(one.example, {**one.schema, "additionalProperties": True})


def _value(hint: Any) -> Any:
    hint = getattr(hint, "__supertype__", hint)
    kind = get_origin(hint) or hint
    if kind in (Union, UnionType):
        return _value(next(one for one in get_args(hint) if one is not NoneType))
    if kind is Any:
        return {}
    if is_dataclass(kind):
        return sampled(sample(hint)).example
    if issubclass(kind, StrEnum):
        return str(next(iter(kind)))
    if issubclass(kind, list | tuple):
        return []
    return {} if issubclass(kind, Mapping) else _VALUES[kind]
