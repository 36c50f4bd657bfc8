"""A client of server-sent events, in the test's own process: it reads when the test says so."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message

from tests.patience import PATIENCE


class EventClient:
    """`events` are read one by one; a client that does not read holds the server's send up."""

    served: "asyncio.Future[None]"

    def __init__(self, reads: bool) -> None:
        self.status = 0
        self.comments: list[str] = []
        self._messages: asyncio.Queue[Message] = asyncio.Queue()
        self._may_send = asyncio.Semaphore(1_000_000 if reads else 1)
        self._left = asyncio.Event()
        self._asked = False

    async def receive(self) -> Message:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        await self._may_send.acquire()
        self._messages.put_nowait(message)

    def read_on(self) -> None:
        """From now on the client takes everything."""
        for _ in range(1000):
            self._may_send.release()

    async def event(self) -> dict[str, Any] | None:
        """The next snapshot, as its data with `event` and `id`; None at the end of the stream."""
        async with asyncio.timeout(PATIENCE):
            while True:
                message = await self._messages.get()
                if message["type"] == "http.response.start":
                    self.status = message["status"]
                elif not message.get("more_body", False):
                    return None
                elif found := self._parsed(message["body"].decode()):
                    return found

    async def problem(self) -> dict[str, Any]:
        """The answer of a request that was refused."""
        async with asyncio.timeout(PATIENCE):
            self.status = (await self._messages.get())["status"]
            found: dict[str, Any] = json.loads((await self._messages.get())["body"])
        return found

    def leave(self) -> None:
        self._left.set()

    def _parsed(self, text: str) -> dict[str, Any] | None:
        fields = dict(line.split(": ", 1) for line in text.strip().splitlines())
        if "" in fields or text.startswith(":"):
            self.comments.append(text.strip())
        return {**(json.loads(fields["data"]) or {}), **fields} if "data" in fields else None


async def next_of(client: EventClient) -> dict[str, Any]:
    found = await client.event()
    assert found is not None, "the stream has ended"
    return found


@asynccontextmanager
async def streaming(
    api: ASGIApp, url: str, headers: Mapping[str, str], reads: bool = True
) -> AsyncIterator[EventClient]:
    """Opens the stream, and leaves it at the end of the block."""
    client, parts = EventClient(reads), urlsplit(url)
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http", "method": "GET", "path": parts.path, "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(), "http_version": "1.1", "scheme": "http", "server": ("api", 80),
        "root_path": "", "headers": raw,
    }  # fmt: skip
    client.served = asyncio.ensure_future(api(scope, client.receive, client.send))
    try:
        yield client
    finally:
        client.leave()
        client.read_on()
        async with asyncio.timeout(PATIENCE):
            await client.served
