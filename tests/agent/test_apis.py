"""Whatever a model server answers, it is an answer or a failure that says so; and both APIs are spoken."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.agent.chat_messages import Api, Message, ModelAnswer, PromptMessage, ToolReply, ToolRequest
from holdfast.agent.ollama import Ollama
from holdfast.agent.openai import OpenAI
from holdfast.agent.tool_spec import ToolSpec
from holdfast.model.error import ModelFailed
from holdfast.model.payload import encode

APIS: list[Api] = [OpenAI(), Ollama()]
REQUEST = ToolRequest("id-1", "look_up", '{"word": "x"}')
TALK: list[Message] = [
    PromptMessage("system", "s"),
    PromptMessage("user", "u"),
    ModelAnswer("", (REQUEST,), 1.0, "tool_calls"),
    ToolReply(REQUEST, "found"),
]
TOOL = ToolSpec("look_up", "Look up.", {"type": "object"})

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
function = st.fixed_dictionaries({}, optional={"name": anything, "arguments": anything})
call = anything | st.fixed_dictionaries({}, optional={"id": anything, "function": anything | function})
message = anything | st.fixed_dictionaries(
    {}, optional={"content": anything, "tool_calls": st.lists(call, max_size=3)}
)
choice = anything | st.fixed_dictionaries({}, optional={"message": message, "finish_reason": anything})
counts = dict.fromkeys(("prompt_eval_count", "eval_count", "done_reason", "usage"), anything)
document = st.fixed_dictionaries(
    {}, optional={"choices": anything | st.lists(choice, max_size=2), "message": message, **counts}
)


@pytest.mark.parametrize("api", APIS)
@given(answered=document)
def test_an_answer_of_any_shape_is_read_or_refused(api: Api, answered: dict[str, Any]) -> None:
    try:
        answer = api.read(answered)
    except ModelFailed:
        return
    encode(
        [answer.text, answer.units, answer.finish_reason, *(request.arguments for request in answer.requests)]
    )
    json.dumps(api.body("m", [*TALK, answer], [TOOL], {}))


def test_openai_matches_replies_by_id_and_writes_arguments_as_text() -> None:
    body = OpenAI().body("m", TALK, [TOOL], {"seed": 1})
    asked, replied = body["messages"][2:]
    (made,) = asked["tool_calls"]
    assert (body["model"], body["seed"], body["tools"]) == ("m", 1, [TOOL.document()])
    assert asked["content"] is None
    assert (made["id"], made["type"], json.loads(made["function"]["arguments"])) == (
        "id-1",
        "function",
        {"word": "x"},
    )
    assert replied == {"role": "tool", "tool_call_id": "id-1", "content": "found"}


def test_ollama_matches_replies_by_name_and_writes_arguments_as_objects() -> None:
    body = Ollama().body("m", TALK, [TOOL], {"seed": 1})
    asked, replied = body["messages"][2:]
    assert (body["stream"], body["options"]) == (False, {"seed": 1})
    assert asked["tool_calls"] == [{"function": {"name": "look_up", "arguments": {"word": "x"}}}]
    assert replied == {"role": "tool", "tool_name": "look_up", "content": "found"}


@pytest.mark.parametrize("api", APIS)
def test_broken_arguments_are_sent_back_as_none(api: Api) -> None:
    broken = ModelAnswer("", (ToolRequest("a", "look_up", "{broken"),), 1.0, "tool_calls")
    sent = json.dumps(api.body("m", [broken], [], {}))
    assert "broken" not in sent


@pytest.mark.parametrize(
    ("api", "given_url", "address"),
    [
        (OpenAI(), "http://host:1", "http://host:1/v1/chat/completions"),
        (OpenAI(), "http://host:1/v1/", "http://host:1/v1/chat/completions"),
        (OpenAI(), "https://host/x/v1/chat/completions?v=2", "https://host/x/v1/chat/completions?v=2"),
        (Ollama(), "http://host:1/", "http://host:1/api/chat"),
        (Ollama(), "http://host:1/api/chat", "http://host:1/api/chat"),
    ],
)
def test_addresses_may_be_written_with_or_without_the_path(api: Api, given_url: str, address: str) -> None:
    assert api.address(given_url) == address


def test_tokens_are_counted_however_they_are_told() -> None:
    said = {"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}
    assert OpenAI().read({**said, "usage": {"total_tokens": 7}}).units == 7
    assert OpenAI().read({**said, "usage": {"prompt_tokens": 3, "completion_tokens": 4}}).units == 7
    assert OpenAI().read(said).units == 0
    assert Ollama().read({"message": {"content": "hi"}, "prompt_eval_count": 3, "eval_count": 4}).units == 7


def test_content_in_parts_is_read_as_one_text() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]
    assert OpenAI().read({"choices": [{"message": {"content": parts}}]}).text == "ab"
