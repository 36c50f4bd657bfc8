"""What an agent's stage leaves: told to the model as a schema, and checked when the model writes it."""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticUserError

from holdfast.model.error import InvalidOption
from holdfast.model.payload import encode

ANYTHING: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": True}
WRAPPED = "output"


class Output:
    """Of a pydantic model, a dataclass or any annotation; of None: any JSON object."""

    __slots__ = ("_adapter", "_is_wrapped", "is_required", "parameters")

    def __init__(self, annotation: Any) -> None:
        self.is_required = annotation is not None
        self._adapter = _adapter(annotation)
        schema = self._adapter.json_schema() if annotation is not None else ANYTHING
        # Arguments of a tool are an object; what is not one goes under a name.
        self._is_wrapped = schema.get("type") != "object"
        self.parameters: Mapping[str, Any] = _wrap(schema) if self._is_wrapped else schema

    def read(self, arguments: str) -> Any:
        """As JSON to be stored; raises ValidationError or InvalidPayload, whose words are for the model."""
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
            f"An agent cannot leave {annotation!r}: {str(exc).splitlines()[0]}",
            "give a pydantic model, a dataclass, or a type that JSON can carry",
        ) from None


def _wrap(schema: dict[str, Any]) -> dict[str, Any]:
    """Definitions stay at the top, where references look for them."""
    definitions = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    inner = {name: value for name, value in schema.items() if name != "$defs"}
    return {"type": "object", "properties": {WRAPPED: inner}, "required": [WRAPPED], **definitions}
