"""The chat completions API of OpenAI, which most model servers speak."""

import json
from datetime import timedelta
from typing import Any

from holdfast.testing.model_server.answer import ToolCall
from holdfast.testing.model_server.api import BadRequest, Document, Reply, read_count, read_messages

_TYPES = {400: "invalid_request_error", 404: "invalid_request_error", 429: "rate_limit_error"}


class OpenAI:
    stream_type = "text/event-stream"
    streams_by_default = False

    def messages(self, document: Document) -> list[Document]:
        if document.get("n", 1) != 1:
            raise BadRequest("n must be 1, because this server returns a single choice.")
        return read_messages(document)

    def max_tokens(self, document: Document) -> int | None:
        return read_count(document, "max_completion_tokens") or read_count(document, "max_tokens")

    def whole(self, reply: Reply, took: timedelta) -> Document:
        message: dict[str, Any] = {"role": "assistant", "content": reply.text, "refusal": None}
        if reply.tool_calls:
            message["content"] = reply.text or None
            message["tool_calls"] = _tool_calls(reply)
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reply.finish}
        return {**_envelope(reply, "chat.completion"), "choices": [choice], "usage": _usage(reply)}

    def pieces(self, reply: Reply) -> list[bytes]:
        opening = {"role": "assistant", "content": "" if reply.text or not reply.tool_calls else None}
        deltas: list[dict[str, Any]] = [opening, *({"content": word} for word in reply.words)]
        for index, call in enumerate(_tool_calls(reply)):
            function = call["function"]
            named = {**call, "index": index, "function": {"name": function["name"], "arguments": ""}}
            deltas.append({"tool_calls": [named]})
            said = {"index": index, "function": {"arguments": function["arguments"]}}
            deltas.append({"tool_calls": [said]})
        return [_event(_chunk(reply, delta)) for delta in deltas]

    def closing(self, reply: Reply, took: timedelta) -> bytes:
        end = _event(_chunk(reply, {}, reply.finish))
        if reply.wants_usage:
            envelope = _envelope(reply, "chat.completion.chunk")
            end += _event({**envelope, "choices": [], "usage": _usage(reply)})
        return end + b"data: [DONE]\n\n"

    def error(self, status: int, message: str) -> Document:
        kind = _TYPES.get(status, "server_error")
        return {"error": {"message": message, "type": kind, "param": None, "code": None}}

    def error_piece(self, message: str) -> bytes:
        return _event(self.error(500, message))


def model_list(models: tuple[str, ...]) -> Document:
    data = [{"id": name, "object": "model", "created": 0, "owned_by": "holdfast"} for name in models]
    return {"object": "list", "data": data}


def _envelope(reply: Reply, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{reply.id}",
        "object": kind,
        "created": int(reply.at.timestamp()),
        "model": reply.model,
        "system_fingerprint": "fp_simulated",
    }


def _chunk(reply: Reply, delta: Document, finish: str | None = None) -> Document:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {**_envelope(reply, "chat.completion.chunk"), "choices": [choice]}


def _tool_calls(reply: Reply) -> list[dict[str, Any]]:
    return [
        {
            "id": call.id or f"call_{reply.id}_{index}",
            "type": "function",
            "function": {"name": call.name, "arguments": _arguments(call)},
        }
        for index, call in enumerate(reply.tool_calls)
    ]


def _arguments(call: ToolCall) -> str:
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)


def _usage(reply: Reply) -> Document:
    return {
        "prompt_tokens": reply.tokens_in,
        "completion_tokens": reply.tokens_out,
        "total_tokens": reply.tokens_in + reply.tokens_out,
    }


def _event(document: Document) -> bytes:
    return b"data: " + json.dumps(document).encode() + b"\n\n"
