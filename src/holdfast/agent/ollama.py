"""Ollama's chat API: arguments are objects, and tool results are matched by name and order."""

from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from holdfast.agent.chat_messages import (
    MOST_TEXT,
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

PATH = "/api/chat"


class Ollama:
    provider = "ollama"

    def address(self, url: str) -> str:
        base, mark, query = url.partition("?")
        base = base.rstrip("/")
        return (base if base.endswith(PATH) else f"{base}{PATH}") + mark + query

    def body(
        self,
        model: str,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        options: Mapping[str, Any],
    ) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": model,
            "messages": [_message(one) for one in messages],
            "stream": False,
        }
        if tools:
            body["tools"] = [tool.document() for tool in tools]
        if options:
            body["options"] = dict(options)
        return body

    def read(self, document: Mapping[str, Any]) -> ModelAnswer:
        message = document.get("message")
        if not isinstance(message, Mapping):
            raise ModelFailed(
                "The model server's answer has no message.",
                "check that the url of the agent belongs to an Ollama server",
                endpoint_ok=False,
            )
        calls = objects(message.get("tool_calls"))
        return ModelAnswer(
            text=storable(text(message.get("content")), MOST_TEXT),
            requests=tuple(ToolRequest.read(index, call) for index, call in enumerate(calls)),
            units=number(document.get("prompt_eval_count")) + number(document.get("eval_count")),
            finish_reason="tool_calls" if calls else _why(document),
            usage=Usage(count(document.get("prompt_eval_count")), count(document.get("eval_count"))),
        )


def _why(document: Mapping[str, Any]) -> str:
    return storable(text(document.get("done_reason")), 200) or "stop"


def _message(message: Message) -> dict[str, Any]:
    match message:
        case PromptMessage():
            return {"role": message.role, "content": message.text}
        case ModelAnswer():
            calls = [_call(request) for request in message.requests]
            said = {"role": "assistant", "content": message.text}
            return {**said, "tool_calls": calls} if calls else said
        case ToolReply():
            return {"role": "tool", "tool_name": message.request.name, "content": message.text}
        case _:
            assert_never(message)


def _call(request: ToolRequest) -> dict[str, Any]:
    return {"function": {"name": request.name, "arguments": request.fields}}
