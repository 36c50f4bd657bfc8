"""Answers that call tools, so that agents can be tested."""

import json

import pytest

from holdfast.testing import Answer, ModelServer, Refusal, ToolCall, in_turn
from holdfast.testing.model_server import ChatRequest
from tests.model_server.caller import chat, post, question

TOOL = {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}


async def test_a_tool_call_has_the_shape_that_agents_expect() -> None:
    offered: list[tuple[str, ...]] = []

    def answer(request: ChatRequest) -> Answer:
        offered.append(request.tools)
        return Answer(tool_calls=(ToolCall("look_up", {"word": "hold"}), ToolCall("look_up", "{broken")))

    async with ModelServer(base=0, answer=answer) as server:
        response = await chat(server, tools=[TOOL])
    [choice] = response.document["choices"]
    first, second = choice["message"]["tool_calls"]
    assert offered == [("look_up",)]
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"]["content"] is None
    assert (first["type"], first["function"]["name"]) == ("function", "look_up")
    assert json.loads(first["function"]["arguments"]) == {"word": "hold"}
    assert second["function"]["arguments"] == "{broken"
    assert first["id"] != second["id"]


async def test_a_script_gives_one_answer_after_the_other() -> None:
    script = in_turn(Answer(tool_calls=(ToolCall("look_up", {}),)), Refusal(400, "no"), "done")
    async with ModelServer(base=0, answer=script) as server:
        responses = [await chat(server, text) for text in ("a", "b", "c")]
    assert [response.status for response in responses] == [200, 400, 200]
    assert responses[2].document["choices"][0]["message"]["content"] == "done"


async def test_a_script_waits_for_a_caller_whose_call_failed() -> None:
    async with ModelServer(base=0, answer=in_turn("first", "second"), outage="unavailable") as server:
        assert (await chat(server, "a")).status == 503
        assert (await chat(server, "a")).status == 503
        server.change(outage="none")
        answers = [(await chat(server, text)).document["choices"][0]["message"]["content"] for text in "ab"]
    assert answers == ["first", "second"]


async def test_a_callback_that_raises_fails_the_test_when_the_server_is_left() -> None:
    responses = []

    async def ask_once_too_often() -> None:
        async with ModelServer(base=0, answer=in_turn("only")) as server:
            responses.extend([await chat(server, "a"), await chat(server, "b")])

    with pytest.raises(AssertionError, match="asked 2 times"):
        await ask_once_too_often()
    assert [response.status for response in responses] == [200, 500]
    assert "asked 2 times" in responses[1].document["error"]["message"]


async def test_a_test_that_failed_by_itself_keeps_its_own_error() -> None:
    async def fail() -> None:
        async with ModelServer(base=0, answer=in_turn()) as server:
            await chat(server)
            raise ValueError("own")

    with pytest.raises(ValueError, match="own"):
        await fail()


@pytest.mark.parametrize(("path", "where"), [("/v1/chat/completions", "choices"), ("/api/chat", "message")])
async def test_a_tool_call_alone_is_an_answer(path: str, where: str) -> None:
    async with ModelServer(
        base=0, answer=lambda request: ToolCall("advance", {"stage": "research"})
    ) as server:
        response = await post(server, path, question("go", tools=[TOOL], stream=False))
    assert "advance" in json.dumps(response.document[where])
