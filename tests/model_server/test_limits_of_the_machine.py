"""The memory cliff and the token budget."""

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import pytest

from holdfast.testing import Answer, ManualClock, ModelServer
from holdfast.testing.model_server import Outcome
from holdfast.testing.model_server.behaviour import Behaviour
from holdfast.testing.model_server.simulation import TokenBudget
from tests.model_server.caller import Response, chat, until


async def test_beyond_its_memory_a_replica_fails_new_calls_and_keeps_the_old() -> None:
    clock = ManualClock()
    async with ModelServer(clock=clock, slots=2, memory=3, base="10s") as server:
        tasks = [asyncio.create_task(chat(server)) for _ in range(3)]
        await until(lambda: server.ledger.in_flight == 3)
        assert (await chat(server)).status == 500
        await clock.advance("1h")
        assert [(await task).status for task in tasks] == [200, 200, 200]
        assert server.ledger.outcomes == {Outcome.ANSWERED: 3, Outcome.OVER_MEMORY: 1}


async def test_beyond_its_memory_calls_hang_and_take_memory_if_told_so() -> None:
    clock = ManualClock()
    async with ModelServer(clock=clock, memory=1, cliff_hangs=1.0, base="10s") as server:
        first = asyncio.create_task(chat(server))
        await until(lambda: server.ledger.in_flight == 1)
        hung = asyncio.create_task(chat(server))
        await until(lambda: server.ledger.in_flight == 2)
        await clock.advance("1h")
        assert (await first).status == 200
        third = asyncio.create_task(chat(server))
        await until(lambda: len(server.ledger) == 3)
        await clock.advance("1h")
        assert server.ledger.in_flight == 2, "the hung call takes the memory that the third one needs"
        hung.cancel()
        third.cancel()
        await until(lambda: server.ledger.in_flight == 0)
        fourth = asyncio.create_task(chat(server))
        await until(lambda: server.ledger.in_flight == 1)
        await clock.advance("1h")
        assert (await fourth).status == 200


async def refused(clock: ManualClock, form: str) -> Response:
    """The second of two calls of 40 tokens, with 60 a minute and room for 60: 20 are missing."""
    async with ModelServer(
        clock=clock,
        base=0,
        tokens_per_second=1e12,
        tokens_per_minute=60,
        retry_after=form,
        answer=lambda _: Answer("x", tokens_in=10, tokens_out=30),
    ) as server:
        first = asyncio.create_task(chat(server))
        await until(lambda: len(server.ledger) == 1)
        await clock.advance("1ms")
        assert (await first).status == 200
        response = await chat(server)
        assert response.status == 429
        assert response.document["error"]["type"] == "rate_limit_error"
        assert server.ledger.outcomes == {Outcome.ANSWERED: 1, Outcome.RATE_LIMITED: 1}
        return response


async def test_retry_after_in_seconds_is_rounded_up() -> None:
    response = await refused(ManualClock(), "seconds")
    assert response.headers["retry-after"] == "20"


async def test_retry_after_as_a_date_is_not_too_early() -> None:
    start = datetime(2030, 5, 1, tzinfo=UTC)
    response = await refused(ManualClock(start), "date")
    then = parsedate_to_datetime(response.headers["retry-after"])
    assert response.headers["retry-after"].endswith(" GMT")
    assert timedelta(seconds=19.9) <= then - start <= timedelta(seconds=21)


async def test_retry_after_in_milliseconds_has_its_own_header() -> None:
    response = await refused(ManualClock(), "milliseconds")
    assert 19_900 <= int(response.headers["retry-after-ms"]) <= 20_000
    assert "retry-after" not in response.headers


async def test_retry_after_can_be_left_out() -> None:
    response = await refused(ManualClock(), "none")
    assert not [name for name in response.headers if name.startswith("retry-after")]


async def test_a_faster_clock_makes_clients_wait_less() -> None:
    async with ModelServer(
        time_scale=20,
        base=0,
        tokens_per_minute=60,
        retry_after="milliseconds",
        answer=lambda _: Answer("x", tokens_in=0, tokens_out=60),
    ) as server:
        assert (await chat(server)).status == 200
        response = await chat(server)
    assert response.status == 429
    assert int(response.headers["retry-after-ms"]) <= 60_000 / 20


def test_whoever_waits_as_long_as_told_gets_in_and_no_sooner() -> None:
    clock = SetClock()
    budget = TokenBudget(clock, Behaviour(tokens_per_minute=600))
    assert budget.take(600) == 0
    wait = budget.take(50)
    assert wait == pytest.approx(5.0)
    clock.time += wait * 0.99
    assert budget.take(50) > 0
    clock.time += wait * 0.01
    assert budget.take(50) == 0


def test_over_an_hour_the_budget_lets_through_what_it_says() -> None:
    clock = SetClock()
    budget = TokenBudget(clock, Behaviour(tokens_per_minute=6000))
    taken = 0
    for second in range(3600):
        clock.time = float(second)
        while budget.take(37) == 0:
            taken += 37
    assert taken == pytest.approx(
        6000 * 61, rel=0.01
    )  # the full bucket of the beginning, and an hour's filling


def test_a_call_larger_than_the_bucket_gets_through_when_it_is_full() -> None:
    clock = SetClock()
    budget = TokenBudget(clock, Behaviour(tokens_per_minute=60))
    assert budget.take(1_000_000) == 0
    assert budget.take(1_000_000) == pytest.approx(60.0)


class SetClock(ManualClock):
    time = 0.0

    def now(self) -> float:
        return self.time
