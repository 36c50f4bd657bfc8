"""Clients that misbehave get a refusal, harm no other client, and cost a bounded amount of memory."""

import asyncio
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from holdfast.testing import ModelServer
from tests.model_server.caller import CHAT, chat, connect, get, parse, send, until
from tests.patience import PATIENCE

MIB = 1024 * 1024
POST = f"POST {CHAT} HTTP/1.1\r\nHost: x\r\n".encode()


@pytest.mark.parametrize(
    "request_",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n",
        POST + b"Content-Length: -1\r\n\r\n",
        POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
    ],
)
async def test_a_malformed_request_is_refused_and_others_are_served(request_: bytes) -> None:
    async with ModelServer() as server:
        assert (await send(server, request_)).startswith(b"HTTP/1.1 400")
        assert len(server.ledger) == 0
        assert (await get(server, "/")).status == 200


async def test_a_client_that_sends_all_of_too_large_a_body_still_reads_the_reason() -> None:
    body = b"x" * 9 * MIB
    async with ModelServer() as server:
        for _ in range(5):
            request = POST + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body
            response = parse(await send(server, request))
            assert response.status == 413
            assert "larger than 8388608 bytes" in response.document["error"]["message"]


async def test_slow_clients_do_not_keep_others_waiting() -> None:
    async with ModelServer(base=0) as server:
        slow = [await connect(server) for _ in range(100)]
        for _, writer in slow:
            writer.write(b"POST /v1/chat")
        assert (await chat(server)).status == 200
        for _, writer in slow:
            writer.close()


async def test_a_client_that_leaves_within_its_request_is_forgotten() -> None:
    async with ModelServer(base=0) as server:
        for begin in (b"POST /v1/ch", POST, POST + b"Content-Length: 100\r\n\r\n{"):
            _, writer = await connect(server)
            writer.write(begin)
            await writer.drain()
            writer.close()
        assert (await chat(server)).status == 200
        assert server.ledger.outcomes == {"answered": 1}


@contextmanager
def memory_below(limit: int) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < limit


@pytest.mark.parametrize(
    ("begin", "piece"),
    [
        (POST, b"A: " + b"b" * 65_000),
        (POST + b"Content-Length: 1000000000\r\n\r\n", b"x" * 65_536),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + b"x" * 65_536 + b"\r\n"),
    ],
)
async def test_an_endless_request_costs_a_bounded_amount_of_memory(begin: bytes, piece: bytes) -> None:
    """Eight mebibytes of body are allowed; 64 are tried."""
    async with ModelServer() as server:
        with memory_below(32 * MIB):
            await flood(server, begin, piece, 64 * MIB)
        assert (await get(server, "/")).status == 200


async def flood(server: ModelServer, begin: bytes, piece: bytes, most: int) -> None:
    """Sends until the server closes the connection, or that many bytes."""
    _, writer = await connect(server)
    sent = 0
    try:
        writer.write(begin)
        while sent < most:
            writer.write(piece)
            await asyncio.wait_for(writer.drain(), PATIENCE)
            sent += len(piece)
    except ConnectionError:
        return
    finally:
        writer.transport.abort()


async def test_many_broken_calls_leave_nothing_behind() -> None:
    async with ModelServer(base="1h") as server:
        for _ in range(20):
            tasks = [asyncio.create_task(chat(server)) for _ in range(10)]
            await until(lambda: server.ledger.in_flight == 10)
            for task in tasks:
                task.cancel()
            await until(lambda: server.ledger.in_flight == 0)
        assert server.ledger.outcomes == {"client_left": 200}
        server.change(base=0)
        assert (await chat(server)).status == 200
