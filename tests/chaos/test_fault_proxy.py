"""The fault proxy in front of a server that answers each line with ten bytes, or as its own faults say."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from chaos.fault_proxy import FaultProxy
from holdfast.testing.listener import HOST

ANSWER = b"0123456789"


@pytest.fixture
async def proxy() -> AsyncIterator[FaultProxy]:
    """`reset`, `cut` and `break` make the server ask the proxy for that fault; it closes after `close`."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = b""
        while line not in (b"close", b"break", b"reset"):
            if not (line := (await reader.readline()).strip()):
                break
            connection = made.connection(writer.get_extra_info("peername"))
            if line == b"reset":
                connection.reset()
            elif line == b"cut":
                connection.cut_answer(after=4)
            elif line == b"break":
                connection.reset_at_end()
            writer.write(ANSWER)
        writer.close()

    server = await asyncio.start_server(serve, HOST, 0)
    async with server, FaultProxy(server.sockets[0].getsockname()[:2]) as made:
        yield made


@asynccontextmanager
async def client(proxy: FaultProxy) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection(HOST, proxy.port)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


async def received(reader: asyncio.StreamReader) -> tuple[bytes, bool]:
    """All bytes until the end, and whether the end was a reset."""
    got = b""
    try:
        while data := await reader.read(3):
            got += data
    except ConnectionResetError:
        return got, True
    return got, False


async def test_a_server_that_closes_after_its_answer_is_seen_to_do_so(proxy: FaultProxy) -> None:
    async with client(proxy) as (reader, writer):
        writer.write(b"more\nclose\n")
        assert await received(reader) == (2 * ANSWER, False)
    assert proxy.connections == 0


async def test_a_server_resets_the_connection_of_a_request(proxy: FaultProxy) -> None:
    async with client(proxy) as (reader, writer), client(proxy) as (other, speaker):
        writer.write(b"reset\n")
        assert await received(reader) == (b"", True)
        speaker.write(b"close\n")
        assert await received(other) == (ANSWER, False)


async def test_a_server_cuts_the_answer_to_a_request(proxy: FaultProxy) -> None:
    async with client(proxy) as (reader, writer):
        writer.write(b"more\n")
        assert await reader.readexactly(10) == ANSWER
        writer.write(b"cut\n")
        assert await received(reader) == (ANSWER[:4], True)


async def test_a_server_turns_its_close_into_a_reset(proxy: FaultProxy) -> None:
    async with client(proxy) as (reader, writer):
        writer.write(b"break\n")
        assert await received(reader) == (ANSWER, True)


async def test_answers_are_cut_after_so_many_bytes_until_the_fault_ends(proxy: FaultProxy) -> None:
    proxy.cut_answers(after=13)
    async with client(proxy) as (reader, writer):
        writer.write(b"more\nmore\n")
        assert await received(reader) == (ANSWER + ANSWER[:3], True)
    proxy.restore()
    async with client(proxy) as (reader, writer):
        writer.write(b"more\nclose\n")
        assert await received(reader) == (2 * ANSWER, False)


async def test_a_lost_answer_is_a_reset(proxy: FaultProxy) -> None:
    proxy.lose_answers(1)
    async with client(proxy) as (reader, writer):
        writer.write(b"more\n")
        assert await received(reader) == (b"", True)
    assert proxy.answers_lost == 1


async def test_a_proxy_that_refuses_connections_keeps_its_port(proxy: FaultProxy) -> None:
    port = proxy.port
    async with client(proxy) as (reader, writer):
        proxy.refuse()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection(HOST, port)
        writer.write(b"close\n")
        assert await received(reader) == (ANSWER, False)
    proxy.accept()
    assert proxy.port == port
    async with client(proxy) as (reader, writer):
        writer.write(b"close\n")
        assert await received(reader) == (ANSWER, False)


async def test_a_client_that_is_turned_away_gets_the_given_answer(proxy: FaultProxy) -> None:
    proxy.turn_away(1, b"not now")
    async with client(proxy) as (reader, writer):
        writer.write(b"close\n")
        assert await received(reader) == (b"not now", False)
    async with client(proxy) as (reader, writer):
        writer.write(b"close\n")
        assert await received(reader) == (ANSWER, False)
    assert proxy.turned_away == 1


async def test_a_target_that_is_down_is_a_reset() -> None:
    async with FaultProxy((HOST, 1)) as proxy, client(proxy) as (reader, _):
        assert await received(reader) == (b"", True)
