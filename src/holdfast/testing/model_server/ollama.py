"""Ollama's own API: JSON lines, streamed unless the request says otherwise."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from holdfast.testing.model_server.api import (
    BadRequest,
    Document,
    Finish,
    Reply,
    read_count,
    read_messages,
    read_text,
)

Content = Callable[[str, list[Document]], Document]


class Ollama:
    """`/api/chat` and `/api/generate` differ in how they name the question and the answer."""

    stream_type = "application/x-ndjson"
    streams_by_default = True

    def __init__(self, messages: Callable[[Document], list[Document]], content: Content) -> None:
        self.messages = messages
        self._content = content

    def max_tokens(self, document: Document) -> int | None:
        options = document.get("options") or {}
        if not isinstance(options, dict):
            raise BadRequest("options must be an object.")
        return None if options.get("num_predict", -1) in (-1, -2) else read_count(options, "num_predict")

    def whole(self, reply: Reply, took: timedelta) -> Document:
        return self._end(reply, took, self._content(reply.text, _tool_calls(reply)))

    def pieces(self, reply: Reply) -> list[bytes]:
        contents = [self._content(word, []) for word in reply.words]
        if reply.tool_calls:
            contents.append(self._content("", _tool_calls(reply)))
        return [_line({**_envelope(reply), **content, "done": False}) for content in contents]

    def closing(self, reply: Reply, took: timedelta) -> bytes:
        return _line(self._end(reply, took, self._content("", [])))

    def error(self, status: int, message: str) -> Document:
        return {"error": message}

    def error_piece(self, message: str) -> bytes:
        return _line({"error": message})

    def _end(self, reply: Reply, took: timedelta, content: Document) -> Document:
        nanoseconds = round(took.total_seconds() * 1e9)
        return {
            **_envelope(reply),
            **content,
            "done": True,
            "done_reason": "length" if reply.finish is Finish.LENGTH else "stop",
            "total_duration": nanoseconds,
            "load_duration": 0,
            "prompt_eval_count": reply.tokens_in,
            "prompt_eval_duration": 0,
            "eval_count": reply.tokens_out,
            "eval_duration": nanoseconds,
        }


def chat_api() -> Ollama:
    return Ollama(read_messages, _as_message)


def generate_api() -> Ollama:
    return Ollama(_prompt, lambda text, _: {"response": text})


def tag_list(models: tuple[str, ...]) -> Document:
    details = {"format": "gguf", "family": "simulated", "parameter_size": "0B", "quantization_level": "none"}
    modified = "2030-01-01T00:00:00Z"
    common = {"modified_at": modified, "size": 0, "digest": "0" * 64, "details": details}
    return {"models": [{"name": name, "model": name, **common} for name in models]}


def _prompt(document: Document) -> list[Document]:
    prompt = {"role": "user", "content": read_text(document, "prompt")}
    if document.get("system"):
        return [{"role": "system", "content": read_text(document, "system")}, prompt]
    return [prompt]


def _as_message(text: str, tool_calls: list[Document]) -> Document:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if tool_calls:
        message["tool_calls"] = tool_calls
    return {"message": message}


def _tool_calls(reply: Reply) -> list[Document]:
    return [{"function": {"name": call.name, "arguments": call.arguments}} for call in reply.tool_calls]


def _envelope(reply: Reply) -> dict[str, Any]:
    return {"model": reply.model, "created_at": reply.at.isoformat().replace("+00:00", "Z")}


def _line(document: Document) -> bytes:
    return json.dumps(document).encode() + b"\n"
