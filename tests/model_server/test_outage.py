"""A closed port, 503, or silence; for all calls or a share of them."""

import asyncio
import errno

import pytest

from holdfast.testing import ManualClock, ModelServer
from holdfast.testing.model_server import Outcome
from tests.model_server.caller import chat, connect, until
from tests.patience import PATIENCE


async def test_a_refusing_server_does_not_listen_and_keeps_its_port() -> None:
    async with ModelServer(base=0) as server:
        url = server.url
        assert (await chat(server)).status == 200
        for _ in range(3):
            server.change(outage="refused")
            with pytest.raises(OSError) as caught:
                await chat(server)
            assert caught.value.errno == errno.ECONNREFUSED
            server.change(outage="none")
            assert (await chat(server)).status == 200
        assert server.url == url
        assert len(server.ledger) == 4


async def test_a_server_can_begin_by_refusing() -> None:
    async with ModelServer(outage="refused") as server:
        with pytest.raises(ConnectionRefusedError):
            await connect(server)


async def test_refusal_breaks_the_calls_under_way() -> None:
    async with ModelServer(base="1h") as server:
        task = asyncio.create_task(chat(server))
        await until(lambda: server.ledger.in_flight == 1)
        server.change(outage="refused")
        with pytest.raises(ConnectionError):
            await task
        await until(lambda: server.ledger.in_flight == 0)
        assert [(call.outcome, call.status) for call in server.ledger] == [(Outcome.OUTAGE, None)]


async def test_a_share_of_the_calls_is_reset() -> None:
    async with ModelServer(base=0, seed=3, outage="refused", outage_share=0.5) as server:
        results = await asyncio.gather(*[chat(server) for _ in range(60)], return_exceptions=True)
        resets = sum(isinstance(result, ConnectionError) for result in results)
        assert server.ledger.outcomes == {Outcome.OUTAGE: resets, Outcome.ANSWERED: 60 - resets}
    assert 15 < resets < 45


async def test_unavailable_is_503_also_for_calls_under_way() -> None:
    async with ModelServer(base="1h") as server:
        task = asyncio.create_task(chat(server))
        await until(lambda: server.ledger.in_flight == 1)
        server.change(outage="unavailable")
        assert (await task).status == 503
        assert (await chat(server)).status == 503
        assert server.ledger.outcomes == {Outcome.OUTAGE: 2}


async def test_in_a_hanging_server_nothing_ends_until_the_client_leaves() -> None:
    clock = ManualClock()
    async with ModelServer(clock=clock, base="10s") as server:
        before = asyncio.create_task(chat(server))
        await until(lambda: server.ledger.in_flight == 1)
        server.change(outage="hang")
        during = asyncio.create_task(chat(server))
        await until(lambda: server.ledger.in_flight == 2)
        await clock.advance("1h")
        assert server.ledger.in_flight == 2
        before.cancel()
        during.cancel()
        await until(lambda: server.ledger.in_flight == 0)
        assert server.ledger.outcomes == {Outcome.CLIENT_LEFT: 2}
        server.change(outage="none")
        after = asyncio.create_task(chat(server))
        await until(lambda: server.ledger.in_flight == 1)
        await clock.advance("1h")
        assert (await after).status == 200


async def test_no_replicas_is_503() -> None:
    async with ModelServer(replicas=0) as server:
        assert (await chat(server)).status == 503


async def test_the_server_ends_at_once_with_hanging_streaming_and_idle_clients() -> None:
    server = ModelServer(base="1h")
    async with asyncio.timeout(PATIENCE), server:
        stream = asyncio.create_task(chat(server, stream=True))
        await until(lambda: server.ledger.in_flight == 1)
        server.change(outage="hang", outage_share=0.0)
        server.change(outage_share=1.0)
        hung = asyncio.create_task(chat(server))
        await until(lambda: server.ledger.in_flight == 2)
        reader, writer = await connect(server)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
    results = await asyncio.gather(stream, hung, return_exceptions=True)
    assert all(isinstance(result, ConnectionError) for result in results)
    assert server.ledger.outcomes == {Outcome.STOPPED: 2}
    writer.close()
