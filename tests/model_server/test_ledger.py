"""The server's own account of its calls."""

import asyncio
from datetime import timedelta
from functools import partial

import pytest

from holdfast.testing import Answer, ManualClock, ModelServer
from holdfast.testing.model_server import Ledger, Outcome
from holdfast.testing.model_server import ledger as ledger_module
from tests.model_server.caller import CHAT, chat, get, post, until


async def test_a_call_is_in_the_ledger_with_all_that_is_known() -> None:
    clock = ManualClock()
    answer = Answer("x", tokens_in=5, tokens_out=7)
    async with ModelServer(
        clock=clock, base="2s", tokens_per_second=1e12, spread=0, answer=lambda _: answer
    ) as server:
        await clock.advance("1s")
        task = asyncio.create_task(chat(server, key="job-1"))
        await until(lambda: server.ledger.in_flight == 1)
        [open_call] = server.ledger
        assert (open_call.end, open_call.outcome, open_call.status) == (None, None, None)
        await clock.advance("5s")
        await task
        [call] = server.ledger
    assert (call.id, call.key, call.path, call.model, call.replica) == (1, "job-1", CHAT, "m", 0)
    assert (call.start, call.end) == (timedelta(seconds=1), timedelta(seconds=3))
    assert (call.outcome, call.status, call.tokens_in, call.tokens_out) == (Outcome.ANSWERED, 200, 5, 7)
    assert call.in_flight == 1


async def test_whoever_has_the_answer_finds_its_end_in_the_ledger() -> None:
    async with ModelServer(base=0, tokens_per_second=1e9) as server:
        for number in range(1, 30):
            await chat(server, stream=number % 2 == 0)
            assert [call.outcome for call in server.ledger] == [Outcome.ANSWERED] * number


async def test_the_most_calls_at_once_are_remembered() -> None:
    clock = ManualClock()
    async with ModelServer(clock=clock, base="1s") as server:
        for calls in (3, 5, 2):
            tasks = [asyncio.create_task(chat(server)) for _ in range(calls)]
            await until(partial(are_under_way, server, calls))
            await clock.advance("1m")
            await asyncio.gather(*tasks)
        assert server.max_in_flight() == 5
        assert sorted(call.in_flight for call in server.ledger) == [1, 1, 1, 2, 2, 2, 3, 3, 4, 5]


def are_under_way(server: ModelServer, calls: int) -> bool:
    return server.ledger.in_flight == calls


async def test_calls_are_found_by_their_idempotency_key() -> None:
    async with ModelServer(base=0) as server:
        server.change(outage="unavailable")
        await chat(server, key="a")
        server.change(outage="none")
        for key in ("a", "b", "b", None):
            await chat(server, key=key)
        counts = {key: len(calls) for key, calls in server.ledger.by_key.items()}
        assert counts == {"a": 2, "b": 2}
        assert server.ledger.repeated == {"b": 2}, (
            "the first call of a was not answered, so a is not repeated"
        )
        assert server.ledger.statuses == {503: 1, 200: 4}


async def test_the_ledger_is_served_as_json_lines() -> None:
    async with ModelServer(base=0, tokens_per_second=1e9) as server:
        for number in range(3):
            await chat(server, key=f"k{number}")
        await post(server, "/api/generate", {"model": "other", "prompt": "x"})
        response = await get(server, "/ledger")
        assert (await get(server, "/ledger")).lines == response.lines, "reading it is not a call"
    assert response.headers["content-type"] == "application/x-ndjson"
    assert [line["key"] for line in response.lines] == ["k0", "k1", "k2", None]
    assert [line["model"] for line in response.lines] == ["m", "m", "m", "other"]
    assert all(line["end"] >= line["start"] >= 0 and line["outcome"] == "answered" for line in response.lines)


async def test_a_long_ledger_is_served_whole() -> None:
    async with ModelServer() as server:
        for number in range(1234):
            server.ledger.close(server.ledger.open(CHAT, str(number)), Outcome.ANSWERED, 200)
        response = await get(server, "/ledger")
    assert [line["key"] for line in response.lines] == [str(number) for number in range(1234)]


def test_the_ledger_forgets_its_oldest_calls_and_shortens_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_module, "MOST_CALLS", 10)
    ledger = Ledger(ManualClock())
    first = ledger.open(CHAT, "k" * 10_000)
    assert len(ledger.calls[0].key or "") == 200
    for _ in range(20):
        ledger.close(ledger.open(CHAT, None), Outcome.ANSWERED, 200)
    ledger.close(first, Outcome.ANSWERED, 200)
    assert [call.id for call in ledger] == [*range(12, 22)]
    assert (ledger.in_flight, ledger.max_in_flight) == (0, 2)
