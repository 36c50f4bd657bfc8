"""What the APIs have in common: how a call is read, and an answer with all that an API says about it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Protocol

from holdfast.testing.model_server.answer import Answer, ChatRequest, Message, ToolCall

Document = Mapping[str, Any]

MOST_PIECES = 1000


class BadRequest(Exception):
    """A body that the server cannot serve, and why."""


class Finish(StrEnum):
    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"


@dataclass(frozen=True, slots=True)
class Reply:
    id: int
    model: str
    at: datetime
    text: str
    tool_calls: tuple[ToolCall, ...]
    tokens_in: int
    tokens_out: int
    finish: Finish
    wants_usage: bool  # in a stream, only if it was asked for

    @property
    def words(self) -> list[str]:
        """What a stream sends one by one; together they are the text."""
        words = re.findall(r"\s*\S+|\s+$", self.text)
        size = -(-len(words) // MOST_PIECES) or 1
        return ["".join(words[begin : begin + size]) for begin in range(0, len(words), size)]


class Api(Protocol):
    """What differs between the APIs."""

    stream_type: str
    streams_by_default: bool

    def messages(self, document: Document) -> list[Document]: ...

    def max_tokens(self, document: Document) -> int | None: ...

    def whole(self, reply: Reply, took: timedelta) -> Document:
        """The body of an answer that is not streamed."""
        ...

    def pieces(self, reply: Reply) -> list[bytes]:
        """A stream but for its end."""
        ...

    def closing(self, reply: Reply, took: timedelta) -> bytes: ...

    def error(self, status: int, message: str) -> Document: ...

    def error_piece(self, message: str) -> bytes: ...


def read_request(api: Api, path: str, headers: Mapping[str, str], body: bytes) -> ChatRequest:
    document = read_object(body)
    stream = document.get("stream", api.streams_by_default)
    if not isinstance(stream, bool):
        raise BadRequest("stream must be true or false.")
    return ChatRequest(
        path=path,
        model=read_text(document, "model"),
        messages=tuple(
            Message(one["role"], _text_of(one.get("content")), one) for one in api.messages(document)
        ),
        stream=stream,
        max_tokens=api.max_tokens(document),
        tools=_tool_names(document),
        key=headers.get("idempotency-key"),
        headers=headers,
        document=document,
    )


def compose(id_: int, at: datetime, request: ChatRequest, answer: Answer) -> Reply:
    said = answer.text + "".join(f"{call.name}{call.arguments}" for call in answer.tool_calls)
    tokens_out = max(1, -(-len(said) // 4)) if answer.tokens_out is None else answer.tokens_out
    text, finish = answer.text, Finish.TOOL_CALLS if answer.tool_calls else Finish.STOP
    if request.max_tokens is not None and tokens_out > request.max_tokens:
        text = text[: len(text) * request.max_tokens // tokens_out]
        tokens_out, finish = request.max_tokens, Finish.LENGTH
    asked = sum(len(message.text) for message in request.messages)
    options = request.document.get("stream_options")
    return Reply(
        id=id_,
        model=request.model,
        at=at,
        text=text,
        tool_calls=answer.tool_calls if finish is not Finish.LENGTH else (),
        tokens_in=-(-asked // 4) if answer.tokens_in is None else answer.tokens_in,
        tokens_out=tokens_out,
        finish=finish,
        wants_usage=isinstance(options, dict) and options.get("include_usage") is True,
    )


def read_object(body: bytes) -> dict[str, Any]:
    """RecursionError: a few kilobytes of brackets are deeper than Python's stack."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        raise BadRequest("The body is not JSON.") from None
    if not isinstance(document, dict):
        raise BadRequest("The body is not a JSON object.")
    return document


def read_text(document: Document, name: str) -> str:
    value = document.get(name)
    if not isinstance(value, str) or not value:
        raise BadRequest(f"{name} must be a non-empty string.")
    return value


def read_count(document: Document, name: str) -> int | None:
    value = document.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise BadRequest(f"{name} must be an integer of at least 1.")
    return value


def read_messages(document: Document) -> list[Document]:
    messages = document.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequest("messages must be a non-empty list.")
    for message in messages:
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise BadRequest("Each of the messages must be an object with a role.")
    return messages


def _tool_names(document: Document) -> tuple[str, ...]:
    tools = document.get("tools") or []
    try:
        return tuple(str(tool["function"]["name"]) for tool in tools)
    except (KeyError, TypeError):
        raise BadRequest('Each of the tools must be {"type": "function", "function": {"name": …}}.') from None


def _text_of(content: object) -> str:
    """Of a message: a text, or parts of which some are text."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""
