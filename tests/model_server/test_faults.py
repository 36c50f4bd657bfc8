"""Faults of single calls: random errors, errors inside, broken and slow answers."""

import asyncio
import json

import pytest

from holdfast.testing import ManualClock, ModelServer
from holdfast.testing.model_server import Outcome
from tests.model_server.caller import CHAT, chat, connect, post, question, until


async def test_noise_is_a_share_of_server_errors_and_the_seed_repeats_it() -> None:
    runs = []
    for seed in (1, 1, 2):
        async with ModelServer(base=0, tokens_per_second=1e6, noise=0.3, seed=seed) as server:
            runs.append([(await chat(server, str(number))).status for number in range(60)])
    assert runs[0] == runs[1] != runs[2]
    failed = [status for status in runs[0] if status != 200]
    assert 8 < len(failed) < 30
    assert set(failed) <= {500, 502, 503, 504}
    assert len(set(failed)) > 1


async def test_noise_strikes_within_the_work() -> None:
    clock = ManualClock()
    async with ModelServer(clock=clock, base="10s", tokens_per_second=1e12, spread=0, noise=1.0) as server:
        tasks = [asyncio.create_task(chat(server)) for _ in range(4)]
        await until(lambda: server.ledger.in_flight == 4)
        await clock.advance("11s")
        await asyncio.gather(*tasks)
        ends = [call.end.total_seconds() for call in server.ledger if call.end is not None]
    assert len(set(ends)) == 4
    assert all(0 < end < 10 for end in ends)


async def test_busy_is_a_share_of_429() -> None:
    async with ModelServer(base=0, busy=1.0) as server:
        response = await chat(server)
    assert (response.status, response.headers["retry-after"]) == (429, "1")


async def test_an_error_can_come_with_status_200() -> None:
    async with ModelServer(base=0, error_inside=1.0) as server:
        whole = await chat(server)
        stream = await chat(server, "one two three", stream=True)
        lines = await post(server, "/api/chat", question("one two three"))
        assert server.ledger.outcomes == {Outcome.ERROR_INSIDE: 3}
    assert (whole.status, stream.status, lines.status) == (200, 200, 200)
    assert "message" in whole.document["error"]
    assert "choices" not in whole.document
    assert "error" in json.loads(stream.events[-1])
    assert "[DONE]" not in stream.events
    assert "error" in lines.lines[-1]
    assert not any(line.get("done") for line in lines.lines)


@pytest.mark.parametrize("stream", [False, True])
async def test_a_cut_answer_begins_and_does_not_end(stream: bool) -> None:
    async with ModelServer(base=0, cut=1.0) as server:
        reader, writer = await connect(server)
        body = json.dumps(question("one two three", stream=stream)).encode()
        writer.write(
            f"POST {CHAT} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
        )
        received = bytearray()
        with pytest.raises(ConnectionError):
            await read_into(received, reader)
        writer.close()
        assert [(call.outcome, call.status) for call in server.ledger] == [(Outcome.CUT, 200)]
    assert received.startswith(b"HTTP/1.1 200")
    assert b"[DONE]" not in received
    assert not received.endswith(b"0\r\n\r\n")


@pytest.mark.parametrize("stream", [False, True])
async def test_a_dripping_answer_is_whole_and_late(stream: bool) -> None:
    clock = ManualClock()
    async with ModelServer(clock=clock, base="1s", tokens_per_second=1e12, spread=0, drip="10s") as server:
        task = asyncio.create_task(chat(server, "one two three four five", stream=stream))
        await until(lambda: server.ledger.in_flight == 1)
        await clock.advance("10s")
        assert server.ledger.in_flight == 1
        await clock.advance("2s")
        response = await task
        [call] = server.ledger
        assert call.end is not None
        assert call.end.total_seconds() == pytest.approx(11.0)
    assert b"five" in response.body


async def read_into(received: bytearray, reader: asyncio.StreamReader) -> None:
    while piece := await reader.read(65536):
        received += piece
