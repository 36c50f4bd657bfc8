"""The signature of a handler that takes any payload, such as an agent."""

from typing import Any

from holdfast.client.json_conversion import Converter, Plain
from holdfast.model.error import InvalidPayload
from holdfast.model.payload import JsonText, encode


class AnyPayload:
    """`task.enqueue(title="…")`, or `task.enqueue(payload)` for an existing payload."""

    __slots__ = ("context_parameter", "output")

    def __init__(self) -> None:
        self.context_parameter: str | None = "ctx"
        self.output: Converter = Plain("$", Any, lambda _: True)

    def payload(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> JsonText:
        if not args:
            return encode(kwargs)
        if kwargs or len(args) > 1:
            raise InvalidPayload(
                "This task takes a single payload, but several values were passed.",
                "pass one value, or pass keyword arguments, which together are the payload",
            )
        return encode(args[0])

    def arguments(self, payload: Any) -> dict[str, Any]:
        return {"payload": payload}
