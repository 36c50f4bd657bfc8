"""What differs between the APIs: how a call is read and how an answer is written."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol

from holdfast.testing.model_server.http_error import HttpError
from holdfast.testing.model_server.reply import Reply

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a dialect finds in the body of a call."""

    model: str
    messages: tuple[Document, ...]
    stream: bool
    max_tokens: int | None
    tools: tuple[str, ...]


class Dialect(Protocol):
    stream_type: str

    def read(self, document: Document) -> Asked: ...

    def whole(self, reply: Reply, took: timedelta) -> Document:
        """The body of an answer that is not streamed."""
        ...

    def pieces(self, reply: Reply) -> list[bytes]:
        """A stream but for its end."""
        ...

    def closing(self, reply: Reply, took: timedelta) -> bytes: ...

    def error(self, status: int, message: str) -> Document: ...

    def error_piece(self, message: str) -> bytes: ...


def text_field(document: Document, name: str, default: str | None = None) -> str:
    value = document.get(name, default)
    if not isinstance(value, str) or not value:
        raise HttpError(400, f"{name} must be a text that is not empty.")
    return value


def truth_field(document: Document, name: str, default: bool) -> bool:
    value = document.get(name, default)
    if not isinstance(value, bool):
        raise HttpError(400, f"{name} must be true or false.")
    return value


def count_field(document: Document, name: str) -> int | None:
    value = document.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise HttpError(400, f"{name} must be a whole number from 1.")
    return value


def message_list(document: Document) -> tuple[Document, ...]:
    messages = document.get("messages")
    if not isinstance(messages, list) or not messages:
        raise HttpError(400, "messages must be a list that is not empty.")
    for message in messages:
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise HttpError(400, "every one of messages must be an object with a role.")
    return tuple(messages)


def tool_names(document: Document) -> tuple[str, ...]:
    tools = document.get("tools") or []
    try:
        return tuple(str(tool["function"]["name"]) for tool in tools)
    except (KeyError, TypeError):
        raise HttpError(
            400, 'every one of tools must be {"type": "function", "function": {"name": …}}.'
        ) from None


def text_of(content: object) -> str:
    """Of a message: a text, or parts of which some are text."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""
