"""Outputs of stages with a model: checked when they are written, typed when they are read."""

import json
from typing import Any

from holdfast.model.describe_value import fault_of
from holdfast.model.end_attempt import Retry
from holdfast.model.error import BadHandler
from holdfast.model.payload import JsonText, encode


class BadOutput(Retry):
    """The output does not fit its stage's model. Transient: the next attempt may succeed."""


class OutputModel:
    """Converts between a stage's output and JSON; pydantic is loaded only if a stage has a model."""

    __slots__ = ("_adapter", "_stage")

    def __init__(self, stage: str, model: Any) -> None:
        from pydantic import TypeAdapter
        from pydantic.errors import PydanticUserError

        self._stage = stage
        try:
            self._adapter: TypeAdapter[Any] = TypeAdapter(model)
        except (PydanticUserError, TypeError) as exc:
            raise BadHandler(
                f"The output of stage {stage} cannot be stored as JSON: {str(exc).splitlines()[0]}",
                "use JSON types, a pydantic model or a dataclass",
            ) from None

    def encode(self, value: Any) -> JsonText:
        """The output as JSON text; raises BadOutput, which says what does not fit."""
        from pydantic import BaseModel, ValidationError
        from pydantic_core import PydanticSerializationError

        given = value.model_dump(by_alias=True) if isinstance(value, BaseModel) else value
        try:
            valid = self._adapter.validate_python(given)
            return encode(self._adapter.dump_python(valid, mode="json", by_alias=True))
        except ValidationError as exc:
            raise self._refused(exc.errors(include_url=False)) from None
        except PydanticSerializationError as exc:
            raise BadOutput(f"The output of stage {self._stage} cannot be written as JSON: {exc}.") from None

    def check(self, text: JsonText | None) -> None:
        """Checks an output from a child process; raises BadOutput."""
        from pydantic import ValidationError

        try:
            self._adapter.validate_json(text or "null")
        except ValidationError as exc:
            raise self._refused(exc.errors(include_url=False)) from None

    def decode(self, value: Any) -> Any:
        """The typed output; plain JSON if it was written with another model and does not fit this one."""
        from pydantic import ValidationError

        try:
            return self._adapter.validate_json(json.dumps(value))
        except ValidationError:
            return value

    def _refused(self, errors: list[Any]) -> BadOutput:
        said = []
        for one in errors[:5]:
            path = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in one["loc"])
            said.append(f"${path}: {fault_of(one)}")
        return BadOutput(f"The output does not fit stage {self._stage}: {'; '.join(said)}.")


def plain_output(value: Any) -> Any:
    """A model's instance as plain values; anything else unchanged."""
    dump = getattr(value, "model_dump", None)
    return dump(mode="json", by_alias=True) if callable(dump) and not isinstance(value, type) else value
