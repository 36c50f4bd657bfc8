"""The chat completions API: the shapes that clients rely on."""

import json
from typing import Any

import pytest

from holdfast.testing import Answer, ModelServer, Refusal
from holdfast.testing.model_server import ChatRequest
from tests.model_server.caller import CHAT, chat, get, post, question


async def test_an_answer_has_the_shape_of_a_chat_completion() -> None:
    async with ModelServer(base=0) as server:
        response = await chat(server, "hello")
    document = response.document
    assert response.status == 200
    assert response.headers["content-type"] == "application/json"
    assert document["object"] == "chat.completion"
    assert document["model"] == "m"
    assert document["choices"] == [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "echo: hello", "refusal": None},
            "logprobs": None,
            "finish_reason": "stop",
        }
    ]
    assert document["usage"] == {"prompt_tokens": 2, "completion_tokens": 3, "total_tokens": 5}


async def test_the_callback_sees_the_request_and_its_tokens_are_billed() -> None:
    seen: list[ChatRequest] = []

    def answer(request: ChatRequest) -> Answer:
        seen.append(request)
        return Answer("yes", tokens_in=7, tokens_out=11)

    async with ModelServer(base=0, answer=answer) as server:
        response = await chat(server, "hello", key="k", max_tokens=50, temperature=0)
    assert response.document["usage"] == {"prompt_tokens": 7, "completion_tokens": 11, "total_tokens": 18}
    [request] = seen
    assert (request.path, request.model, request.question) == (CHAT, "m", "hello")
    assert (request.key, request.max_tokens, request.stream) == ("k", 50, False)
    assert request.document["temperature"] == 0


async def test_content_in_parts_is_read_as_text() -> None:
    parts = [
        {"type": "text", "text": "a"},
        {"type": "image_url", "image_url": {}},
        {"type": "text", "text": "b"},
    ]
    async with ModelServer(base=0) as server:
        response = await post(server, CHAT, {"model": "m", "messages": [{"role": "user", "content": parts}]})
    assert response.document["choices"][0]["message"]["content"] == "echo: ab"


async def test_max_tokens_cuts_the_answer_and_says_so() -> None:
    async with ModelServer(base=0, answer=lambda _: "x" * 400) as server:
        response = await chat(server, max_tokens=10)
    [choice] = response.document["choices"]
    assert choice["finish_reason"] == "length"
    assert choice["message"]["content"] == "x" * 40
    assert response.document["usage"]["completion_tokens"] == 10


async def test_a_refusal_is_an_error_of_the_caller() -> None:
    async with ModelServer(base=0, answer=lambda _: Refusal(400, "The prompt is too long.")) as server:
        response = await chat(server)
    assert response.status == 400
    error = response.document["error"]
    assert (error["message"], error["type"]) == ("The prompt is too long.", "invalid_request_error")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{", "not JSON"),
        (b"[1]", "not a JSON object"),
        (b"[" * 100_000, "not JSON"),
        (json.dumps({"messages": [{"role": "user", "content": "x"}]}).encode(), "model"),
        (json.dumps({"model": "m"}).encode(), "messages"),
        (json.dumps({"model": "m", "messages": []}).encode(), "messages"),
        (json.dumps({"model": "m", "messages": ["x"]}).encode(), "role"),
        (json.dumps(question(stream="yes")).encode(), "stream"),
        (json.dumps(question(max_tokens=0)).encode(), "max_tokens"),
        (json.dumps(question(n=2)).encode(), "n must be 1"),
        (json.dumps(question(tools=[{"type": "function"}])).encode(), "tools"),
    ],
)
async def test_a_wrong_call_is_refused_with_the_reason(body: bytes, words: str) -> None:
    async with ModelServer(base=0) as server:
        response = await post(server, CHAT, body)
        assert [call.status for call in server.ledger] == [400]
    assert response.status == 400
    assert words in response.document["error"]["message"]


async def test_the_models_are_listed() -> None:
    async with ModelServer(models=["small", "large"]) as server:
        document: dict[str, Any] = (await get(server, "/v1/models")).document
    assert document["object"] == "list"
    assert [model["id"] for model in document["data"]] == ["small", "large"]


async def test_other_paths_and_methods_are_refused() -> None:
    async with ModelServer() as server:
        assert (await get(server, "/nowhere")).status == 404
        assert (await get(server, CHAT)).status == 405
        assert (await post(server, "/v1/models", {})).status == 405
