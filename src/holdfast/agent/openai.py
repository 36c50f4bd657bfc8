"""OpenAI's chat completions API, which most model servers offer."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from holdfast.agent.chat_messages import (
    MOST_TEXT,
    NO_USAGE,
    Message,
    ModelAnswer,
    PromptMessage,
    ToolReply,
    ToolRequest,
    Usage,
)
from holdfast.agent.lenient_json import count, number, objects, text
from holdfast.agent.tool_spec import ToolSpec
from holdfast.model.error import ModelFailed
from holdfast.model.storable_text import storable

PATH = "/chat/completions"


class OpenAI:
    provider = "openai"

    def address(self, url: str) -> str:
        """With or without `/v1`, because URLs of this API are written both ways."""
        base, mark, query = url.partition("?")
        base = base.rstrip("/")
        if not base.endswith(PATH):
            base += PATH if base.endswith("/v1") else f"/v1{PATH}"
        return base + mark + query

    def body(
        self,
        model: str,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        options: Mapping[str, Any],
    ) -> dict[str, Any]:
        offered = {"tools": [tool.document() for tool in tools]} if tools else {}
        return {**options, "model": model, "messages": [_message(one) for one in messages], **offered}

    def read(self, document: Mapping[str, Any]) -> ModelAnswer:
        choices = objects(document.get("choices"))
        if not choices or not isinstance(choices[0].get("message"), Mapping):
            message = "The model server's answer has no choices with a message."
            raise ModelFailed(message, endpoint_ok=False)
        message = choices[0]["message"]
        calls = objects(message.get("tool_calls"))
        return ModelAnswer(
            text=storable(text(message.get("content")), MOST_TEXT),
            requests=tuple(ToolRequest.read(index, call) for index, call in enumerate(calls)),
            units=_units(document.get("usage")),
            finish_reason=storable(text(choices[0].get("finish_reason")), 200) or "stop",
            usage=_usage(document.get("usage")),
        )


def _message(message: Message) -> dict[str, Any]:
    match message:
        case PromptMessage():
            return {"role": message.role, "content": message.text}
        case ModelAnswer():
            calls = [_call(request) for request in message.requests]
            said = {"role": "assistant", "content": message.text or None}
            return {**said, "tool_calls": calls} if calls else {**said, "content": message.text}
        case ToolReply():
            return {"role": "tool", "tool_call_id": message.request.id, "content": message.text}
        case _:
            assert_never(message)


def _call(request: ToolRequest) -> dict[str, Any]:
    function = {"name": request.name, "arguments": json.dumps(request.fields)}
    return {"id": request.id, "type": "function", "function": function}


def _usage(usage: object) -> Usage:
    if not isinstance(usage, Mapping):
        return NO_USAGE
    return Usage(count(usage.get("prompt_tokens")), count(usage.get("completion_tokens")))


def _units(usage: object) -> float:
    if not isinstance(usage, Mapping):
        return 0.0
    parts = number(usage.get("prompt_tokens")) + number(usage.get("completion_tokens"))
    return number(usage.get("total_tokens")) or parts
