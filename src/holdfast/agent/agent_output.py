"""The output of an agent: a schema for the model, and a check when the model writes it."""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticUserError

from holdfast.model.error import InvalidOption
from holdfast.model.payload import encode

ANYTHING: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": True}
WRAPPED = "output"


class Output:
    """From a pydantic model, a dataclass or any annotation; None means any JSON object."""

    __slots__ = ("_adapter", "_is_wrapped", "is_required", "parameters")

    def __init__(self, annotation: Any) -> None:
        self.is_required = annotation is not None
        self._adapter = _adapter(annotation)
        schema = self._adapter.json_schema() if annotation is not None else ANYTHING
        # The arguments of a tool are an object; any other output gets a name inside it.
        self._is_wrapped = schema.get("type") != "object"
        self.parameters: Mapping[str, Any] = _wrap(schema) if self._is_wrapped else schema

    def read(self, arguments: str) -> Any:
        """As JSON to store; raises ValidationError or InvalidPayload, whose text is for the model."""
        if self._is_wrapped:
            fields = TypeAdapter(dict[str, Any]).validate_json(arguments)
            value = self._adapter.validate_python(fields.get(WRAPPED))
        else:
            value = self._adapter.validate_json(arguments)
        written = self._adapter.dump_python(value, mode="json", by_alias=True)
        encode(written)
        return written


def _adapter(annotation: Any) -> TypeAdapter[Any]:
    try:
        return TypeAdapter(dict[str, Any] if annotation is None else annotation)
    except (PydanticUserError, TypeError) as exc:
        raise InvalidOption(
            f"An agent cannot have the output type {annotation!r}: {str(exc).splitlines()[0]}",
            "use a pydantic model, a dataclass, or a JSON type",
        ) from None


def _wrap(schema: dict[str, Any]) -> dict[str, Any]:
    """Keeps definitions at the top level, where references expect them."""
    definitions = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    inner = {name: value for name, value in schema.items() if name != "$defs"}
    return {"type": "object", "properties": {WRAPPED: inner}, "required": [WRAPPED], **definitions}
