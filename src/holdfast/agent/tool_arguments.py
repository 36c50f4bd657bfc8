"""The parameters of a tool: a schema for the model, and a check of the model's arguments."""

from collections.abc import Mapping, Sequence
from dataclasses import Field, make_dataclass
from typing import Any

from pydantic import ConfigDict, TypeAdapter
from pydantic.errors import PydanticUserError

from holdfast.model.error import BadHandler


class Arguments:
    """From names, annotations and defaults; other names are refused."""

    __slots__ = ("_adapter", "_names", "schema")

    def __init__(self, tool: str, fields: Sequence[tuple[str, Any, Field[Any]]]) -> None:
        self._adapter = _adapter(tool, fields)
        self._names = [name for name, _, _ in fields]
        self.schema = _without_titles(self._adapter.json_schema())

    def read(self, arguments: str) -> dict[str, Any]:
        """By name, as annotated; raises pydantic's ValidationError, whose text is for the model."""
        found = self._adapter.validate_json(arguments)
        return {name: getattr(found, name) for name in self._names}


def _adapter(tool: str, fields: Sequence[tuple[str, Any, Field[Any]]]) -> TypeAdapter[Any]:
    """For a dataclass with these fields, because a model class does not accept every name."""
    strict = {"__pydantic_config__": ConfigDict(extra="forbid")}
    try:
        return TypeAdapter(make_dataclass(tool, fields, kw_only=True, namespace=strict))
    except (PydanticUserError, TypeError) as exc:
        raise BadHandler(
            f"The tool {tool} cannot be described to a model: {str(exc).splitlines()[0]}",
            "annotate the parameters of the tool with JSON types, pydantic models or dataclasses",
        ) from None


def _without_titles(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Titles only repeat the names, and tokens cost money."""
    plain = {name: value for name, value in schema.items() if name != "title"}
    properties = schema.get("properties", {})
    return {
        **plain,
        "properties": {
            name: {key: value for key, value in one.items() if key != "title"}
            for name, one in properties.items()
        },
    }
