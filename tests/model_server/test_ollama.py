"""Ollama's own API."""

from holdfast.testing import Answer, ModelServer, ToolCall
from tests.model_server.caller import get, post, question


async def test_chat_streams_json_lines_unless_told_otherwise() -> None:
    async with ModelServer(base=0) as server:
        response = await post(server, "/api/chat", question("one two"))
    *pieces, last = response.lines
    assert response.headers["content-type"] == "application/x-ndjson"
    assert "".join(line["message"]["content"] for line in pieces) == "echo: one two"
    assert len(pieces) == 3
    assert not any(line["done"] for line in pieces)
    assert (last["done"], last["done_reason"], last["eval_count"]) == (True, "stop", 4)


async def test_chat_without_a_stream_is_one_document() -> None:
    async with ModelServer(base=0) as server:
        response = await post(server, "/api/chat", question("hello", stream=False))
    document = response.document
    assert response.headers["content-type"] == "application/json"
    assert document["message"] == {"role": "assistant", "content": "echo: hello"}
    assert (document["done"], document["prompt_eval_count"], document["eval_count"]) == (True, 2, 3)


async def test_generate_takes_a_prompt_and_gives_a_response() -> None:
    async with ModelServer(base=0) as server:
        whole = await post(server, "/api/generate", {"model": "m", "prompt": "hello", "stream": False})
        stream = await post(server, "/api/generate", {"model": "m", "prompt": "hello", "system": "be kind"})
    assert whole.document["response"] == "echo: hello"
    assert "".join(line["response"] for line in stream.lines) == "echo: hello"
    assert stream.lines[-1]["done"] is True


async def test_num_predict_cuts_the_answer() -> None:
    async with ModelServer(base=0, answer=lambda _: "x" * 400) as server:
        short = await post(server, "/api/chat", question(stream=False, options={"num_predict": 10}))
        full = await post(server, "/api/chat", question(stream=False, options={"num_predict": -1}))
    assert (short.document["done_reason"], short.document["eval_count"]) == ("length", 10)
    assert (full.document["done_reason"], full.document["eval_count"]) == ("stop", 100)


async def test_tool_calls_carry_their_arguments_as_an_object() -> None:
    answer = Answer(tool_calls=(ToolCall("look_up", {"word": "hold"}),))
    expected = [{"function": {"name": "look_up", "arguments": {"word": "hold"}}}]
    async with ModelServer(base=0, answer=lambda _: answer) as server:
        whole = await post(server, "/api/chat", question(stream=False))
        stream = await post(server, "/api/chat", question())
    assert whole.document["message"]["tool_calls"] == expected
    assert [line["message"].get("tool_calls") for line in stream.lines] == [expected, None]


async def test_errors_are_a_text() -> None:
    async with ModelServer(base=0) as server:
        response = await post(server, "/api/generate", {"model": "m"})
    assert response.status == 400
    assert response.document == {"error": "prompt must be a non-empty string."}


async def test_the_models_are_listed_as_tags() -> None:
    async with ModelServer(models=["small"]) as server:
        [model] = (await get(server, "/api/tags")).document["models"]
    assert (model["name"], model["model"]) == ("small", "small")
