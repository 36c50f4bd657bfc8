"""A small HTTP client on raw streams: many calls at once in the test's own event loop."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from holdfast.testing import ModelServer
from tests.patience import PATIENCE

CHAT = "/v1/chat/completions"


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.body.splitlines()]

    @property
    def events(self) -> list[str]:
        """Of a stream of server-sent events."""
        return [event.removeprefix("data: ") for event in self.body.decode().split("\n\n") if event]


def question(text: str = "hello", **more: object) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text}], **more}


async def chat(server: ModelServer, text: str = "hello", key: str | None = None, **more: object) -> Response:
    headers = {} if key is None else {"Idempotency-Key": key}
    return await post(server, CHAT, question(text, **more), headers)


async def post(
    server: ModelServer, path: str, document: object, headers: Mapping[str, str] | None = None
) -> Response:
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    fields = {"Host": "x", "Connection": "close", "Content-Length": str(len(body)), **(headers or {})}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return parse(await send(server, f"POST {path} HTTP/1.1\r\n{head}\r\n".encode() + body))


async def get(server: ModelServer, path: str) -> Response:
    return parse(await send(server, f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()))


async def send(server: ModelServer, data: bytes) -> bytes:
    """Everything that comes back until the server closes."""
    reader, writer = await connect(server)
    try:
        writer.write(data)
        await writer.drain()
        return await asyncio.wait_for(reader.read(), PATIENCE)
    finally:
        writer.close()


async def connect(server: ModelServer) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    port = int(server.url.rpartition(":")[2])
    return await asyncio.open_connection("127.0.0.1", port)


def parse(data: bytes) -> Response:
    head, _, body = data.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if headers.get("transfer-encoding") == "chunked":
        body = join_chunks(body)
    else:
        assert len(body) == int(headers["content-length"]), "the body is not as long as it says"
    return Response(int(status.split()[1]), headers, body)


def join_chunks(data: bytes) -> bytes:
    joined = b""
    while True:
        size, _, data = data.partition(b"\r\n")
        length = int(size, 16)
        if length == 0:
            assert data == b"\r\n", "the last chunk is not followed by an empty line"
            return joined
        joined, data = joined + data[:length], data[length + 2 :]


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.001)
