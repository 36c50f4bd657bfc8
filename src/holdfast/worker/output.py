"""What a handler returned, as JSON."""

from dataclasses import asdict, is_dataclass
from typing import Any

from holdfast.model.error import InvalidPayload
from holdfast.model.payload import JsonText, encode


def encode_output(value: Any) -> JsonText | None:
    """Raises InvalidPayload, which says output and not payload."""
    if value is None:
        return None
    try:
        return encode(_plain(value))
    except InvalidPayload as exc:
        message = exc.message.replace("The payload", "The handler's output", 1)
        raise InvalidPayload(message, exc.hint, exc.path) from None


def _plain(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)  # a pydantic model
    if callable(dump):
        return dump(mode="json")
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
