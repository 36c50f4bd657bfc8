"""Clients that misbehave get a clear refusal, or are cut off, and cost a bounded amount of memory."""

import asyncio
import socket
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta

import pytest

from holdfast.testing import ModelServer
from holdfast.testing.model_server import Limits
from tests.model_server.caller import CHAT, chat, connect, get, parse, send, until
from tests.patience import PATIENCE

MIB = 1024 * 1024
POST = f"POST {CHAT} HTTP/1.1\r\nHost: x\r\n".encode()


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/1.1 and more\r\nHost: x\r\n\r\n", 400),
        (b"GET http://elsewhere/ HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nName : y\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n folded\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nA: nul\0\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 101 + b"\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"b" * 40_000 + b"\r\n\r\n", 431),
        (b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 431),
        (POST + b"Content-Length: -1\r\n\r\n", 400),
        (POST + b"Content-Length: 1e3\r\n\r\n", 400),
        (POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n", 400),
        (POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (POST + b"Content-Length: 99999999999\r\n\r\n", 413),
        (POST + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n", 413),
        (POST + b"Transfer-Encoding: gzip\r\n\r\n", 501),
        (POST + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n", 400),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n3\r\nhello\r\n", 400),
        (POST + b"Transfer-Encoding: chunked\r\n\r\nffffffff\r\n", 413),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"A: b\r\n" * 101, 431),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n1;" + b"x" * 40_000, 400),
    ],
)
async def test_a_malformed_request_is_refused_and_the_connection_closed(request_: bytes, status: int) -> None:
    async with ModelServer() as server:
        response = parse(await send(server, request_))
        assert response.status == status
        assert response.headers["connection"] == "close"
        assert response.document["error"]["message"].endswith(".")
        assert (await get(server, "/")).status == 200


async def test_a_client_that_sends_all_of_too_large_a_body_still_reads_the_reason() -> None:
    body = b"x" * 3 * MIB
    async with ModelServer(limits=Limits(body_bytes=1000)) as server:
        for _ in range(5):
            request = POST + b"Content-Length: %d\r\n\r\n" % len(body) + body
            assert parse(await send(server, request)).status == 413


@pytest.mark.parametrize("begin", [b"POST /v1/ch", POST, POST + b"Content-Length: 100\r\n\r\n{"])
async def test_a_client_that_sends_too_slowly_is_told_so_and_cut_off(begin: bytes) -> None:
    limits = Limits(read=timedelta(milliseconds=100))
    async with ModelServer(limits=limits) as server:
        assert parse(await send(server, begin)).status == 408


async def test_an_idle_connection_is_closed_without_a_word() -> None:
    async with ModelServer(limits=Limits(idle=timedelta(milliseconds=50))) as server:
        assert await send(server, b"") == b""


async def test_slow_clients_do_not_keep_others_waiting() -> None:
    async with ModelServer(base=0) as server:
        slow = [await connect(server) for _ in range(100)]
        for _, writer in slow:
            writer.write(b"POST /v1/chat")
        assert (await chat(server)).status == 200
        for _, writer in slow:
            writer.close()


async def test_too_many_connections_are_cut_off_and_room_is_made_again() -> None:
    async with ModelServer(base=0, limits=Limits(connections=5)) as server:
        held = [await connect(server) for _ in range(5)]
        for reader, writer in held:
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        reader, sixth = await connect(server)
        with pytest.raises(ConnectionError):
            await asyncio.wait_for(reader.read(), PATIENCE)
        sixth.close()
        for _, writer in held:
            writer.close()
        await until_served(server)


async def until_served(server: ModelServer) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            with suppress(ConnectionError):
                if await send(server, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"):
                    return


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
        (POST + b"Transfer-Encoding: chunked\r\n\r\n", b"1;" + b"e" * 30_000 + b"\r\nx\r\n"),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"T: " + b"t" * 30_000 + b"\r\n"),
        (b"", b"\r\n" * 32_768),
    ],
)
async def test_an_endless_request_ends_and_costs_little(begin: bytes, piece: bytes) -> None:
    """Two mebibytes of body are allowed; 64 are tried."""
    limits = Limits(body_bytes=2 * MIB, read=timedelta(seconds=2), idle=timedelta(seconds=2))
    async with ModelServer(limits=limits) as server:
        with memory_below(12 * MIB):
            await flood(server, begin, piece, 64 * MIB)
        assert (await get(server, "/")).status == 200


async def flood(server: ModelServer, begin: bytes, piece: bytes, most: int) -> None:
    """Sends until the server has had enough. After its refusal it may still swallow what is on the way."""
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


async def test_a_client_that_never_takes_its_answer_is_cut_off() -> None:
    """There is room for one connection, so another client is served only after that."""
    text = "x" * 32 * MIB
    limits = Limits(connections=1, write=timedelta(milliseconds=100))
    async with ModelServer(base=0, tokens_per_second=1e12, limits=limits, answer=lambda _: text) as server:
        with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2]))) as deaf:
            body = b'{"model": "m", "messages": [{"role": "user", "content": "x"}]}'
            deaf.sendall(POST + b"Content-Length: %d\r\n\r\n" % len(body) + body)
            await until(lambda: len(server.ledger) == 1)
            await until_served(server)


async def test_many_broken_calls_leave_nothing_behind() -> None:
    async with ModelServer(base="1h") as server:
        for _ in range(20):
            tasks = [asyncio.create_task(chat(server)) for _ in range(10)]
            await until(lambda: server.ledger.in_flight == 10)
            for task in tasks:
                task.cancel()
            await until(lambda: server.ledger.in_flight == 0)
        assert server.ledger.fates == {"client_left": 200}
        server.change(base=0)
        assert (await chat(server)).status == 200
