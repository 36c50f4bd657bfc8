"""Streams of server-sent events, and when their pieces come."""

import asyncio
import json

from holdfast.testing import Answer, ManualClock, ModelServer, ToolCall
from tests.model_server.caller import CHAT, chat, connect, parse, question, until


async def test_a_stream_is_chunks_that_make_up_the_answer() -> None:
    async with ModelServer(base=0) as server:
        response = await chat(server, "one two", stream=True)
    *chunks, done = response.events
    documents = [json.loads(chunk) for chunk in chunks]
    deltas = [document["choices"][0]["delta"] for document in documents]
    assert response.headers["content-type"] == "text/event-stream"
    assert done == "[DONE]"
    assert {document["object"] for document in documents} == {"chat.completion.chunk"}
    assert deltas[0] == {"role": "assistant", "content": ""}
    assert "".join(delta.get("content", "") for delta in deltas) == "echo: one two"
    assert [document["choices"][0]["finish_reason"] for document in documents][-2:] == [None, "stop"]


async def test_usage_comes_in_a_chunk_of_its_own_if_asked_for() -> None:
    async with ModelServer(base=0) as server:
        response = await chat(server, "hello", stream=True, stream_options={"include_usage": True})
    last = json.loads(response.events[-2])
    assert last["choices"] == []
    assert last["usage"] == {"prompt_tokens": 2, "completion_tokens": 3, "total_tokens": 5}


async def test_tool_calls_are_streamed_by_name_and_then_by_arguments() -> None:
    answer = Answer(tool_calls=(ToolCall("look_up", {"word": "hold"}, id="call_x"),))
    async with ModelServer(base=0, answer=lambda _: answer) as server:
        response = await chat(server, stream=True)
    choices = [json.loads(event)["choices"][0] for event in response.events[:-1]]
    first, second = (choice["delta"]["tool_calls"][0] for choice in choices[1:3])
    assert (first["index"], first["id"], first["type"]) == (0, "call_x", "function")
    assert first["function"] == {"name": "look_up", "arguments": ""}
    assert json.loads(second["function"]["arguments"]) == {"word": "hold"}
    assert choices[-1]["finish_reason"] == "tool_calls"


async def test_pieces_come_evenly_after_the_base() -> None:
    """Base 2 s, then four pieces (an opening one and three words) over the 4 s of 400 tokens."""
    clock = ManualClock()
    answer = Answer("a b c", tokens_out=400)
    async with ModelServer(
        clock=clock, base="2s", tokens_per_second=100, spread=0, answer=lambda _: answer
    ) as server:
        reader, writer = await connect(server)
        body = json.dumps(question(stream=True)).encode()
        writer.write(
            f"POST {CHAT} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
        )
        await until(lambda: server.ledger.in_flight == 1)
        received, counts = bytearray(), []
        for _ in range(7):
            await read_what_is_there(reader, received)
            counts.append(received.count(b"data: "))
            await clock.advance("1s")
        await until(lambda: server.ledger.in_flight == 0)
        writer.close()
    # After 0, 1, 2 … 6 seconds; the last one is the end and [DONE].
    assert counts == [0, 0, 1, 2, 3, 4, 6]


async def read_what_is_there(reader: asyncio.StreamReader, received: bytearray) -> None:
    """The clock stands still, so nothing more comes than what was written before."""
    try:
        while True:
            received += await asyncio.wait_for(reader.read(65536), 0.05)
    except TimeoutError:
        return


async def test_a_client_of_http_1_0_gets_a_stream_without_chunks() -> None:
    body = json.dumps(question("hello", stream=True)).encode()
    async with ModelServer(base=0) as server:
        reader, writer = await connect(server)
        writer.write(f"POST {CHAT} HTTP/1.0\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        data = await reader.read()
        writer.close()
    assert b"transfer-encoding" not in data.lower()
    assert data.endswith(b"data: [DONE]\n\n")


async def test_a_very_long_answer_is_streamed_in_a_bounded_number_of_pieces() -> None:
    text = "word " * 20_000
    async with ModelServer(base=0, tokens_per_second=1e9, answer=lambda _: Answer(text)) as server:
        response = await chat(server, stream=True)
    deltas = [json.loads(event)["choices"][0]["delta"] for event in response.events[:-1]]
    assert "".join(delta.get("content", "") for delta in deltas) == text
    assert len(deltas) <= 1002


def test_the_chunks_of_the_test_client_are_joined_strictly() -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert parse(head + b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n").body == b"abcde"
