"""The protocol itself, as real clients use it."""

import asyncio
import http.client
import json
from urllib.parse import urlsplit

from holdfast.testing import ModelServer
from tests.model_server.caller import CHAT, connect, parse, question, send
from tests.patience import PATIENCE


def test_one_connection_serves_many_requests() -> None:
    with ModelServer.in_thread(base=0) as server:
        connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=PATIENCE)
        used = set()
        for stream in (False, True, False):
            connection.request("POST", CHAT, json.dumps(question(stream=stream)))
            response = connection.getresponse()
            assert response.status == 200
            assert b"echo" in response.read()
            used.add(connection.sock.getsockname())
        connection.request("GET", "/nowhere")
        response = connection.getresponse()
        assert response.status == 404
        response.read()
        used.add(connection.sock.getsockname())
        connection.close()
    assert len(used) == 1


def test_a_chunked_request_body_is_read() -> None:
    body = json.dumps(question("x" * 100_000)).encode()
    with ModelServer.in_thread(base=0, tokens_per_second=1e9) as server:
        connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=PATIENCE)
        pieces = (body[begin : begin + 999] for begin in range(0, len(body), 999))
        connection.request(
            "POST", CHAT, pieces, encode_chunked=True, headers={"Transfer-Encoding": "chunked"}
        )
        document = json.load(connection.getresponse())
        connection.close()
    assert document["choices"][0]["message"]["content"] == "echo: " + "x" * 100_000


async def test_chunk_extensions_and_trailers_are_skipped() -> None:
    body = json.dumps(question()).encode()
    head = (
        f"POST {CHAT} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    )
    chunks = b'%x;name="value"\r\n%s\r\n0\r\nTrailer: yes\r\n\r\n' % (len(body), body)
    async with ModelServer(base=0) as server:
        assert parse(await send(server, head + chunks)).status == 200


async def test_requests_that_come_together_are_answered_in_order() -> None:
    requests = b""
    for path in ("/v1/models", "/api/tags"):
        requests += f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    requests += b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    async with ModelServer() as server:
        data = await send(server, requests)
    assert data.count(b"HTTP/1.1 200 OK") == 3
    assert data.index(b'"object": "list"') < data.index(b'"digest"') < data.index(b'"paths"')


async def test_a_client_that_expects_100_is_told_to_continue() -> None:
    body = json.dumps(question()).encode()
    async with ModelServer(base=0) as server:
        reader, writer = await connect(server)
        writer.write(
            f"POST {CHAT} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\n"
            f"Content-Length: {len(body)}\r\n\r\n".encode()
        )
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(body)
        assert parse(await asyncio.wait_for(reader.read(), PATIENCE)).status == 200
        writer.close()


async def test_a_query_does_not_hide_the_path() -> None:
    async with ModelServer() as server:
        data = await send(server, b"GET /v1/models?a=b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert parse(data).status == 200
