"""Between a worker and its database: can stand still with all connections open, as a broken network does."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit, urlunsplit

STARTING = b"SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0"


class Proxy:
    def __init__(self, target: str) -> None:
        self._target = target
        self._flows = asyncio.Event()
        self._flows.set()
        self._pumps: set[asyncio.Task[None]] = set()
        self.connections = 0
        self.turns_away = 0  # so many are told what a server says that has not recovered yet

    def freeze(self) -> None:
        """Nothing gets through, in either direction, and nobody is told."""
        self._flows.clear()

    def thaw(self) -> None:
        self._flows.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._flows.wait()
        if self.turns_away:
            self.turns_away -= 1
            await reader.read(1)
            writer.write(b"E" + (len(STARTING) + 4).to_bytes(4, "big") + STARTING)
            writer.close()
            return
        self.connections += 1
        behind_reader, behind_writer = await asyncio.open_unix_connection(self._target)
        for source, sink in ((reader, behind_writer), (behind_reader, writer)):
            pump = asyncio.create_task(self._pump(source, sink))
            self._pumps.add(pump)
            pump.add_done_callback(self._pumps.discard)

    async def close(self) -> None:
        for pump in list(self._pumps):
            pump.cancel()
        await asyncio.gather(*self._pumps, return_exceptions=True)

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65536):
                await self._flows.wait()
                sink.write(data)
                await sink.drain()
        except ConnectionError:
            return
        finally:
            sink.close()


@asynccontextmanager
async def proxied(database_url: str, directory: Path) -> AsyncIterator[tuple[Proxy, str]]:
    """The proxy, and the URL that leads through it."""
    parts = urlsplit(database_url)
    query = parse_qs(parts.query)
    proxy = Proxy(f"{query['host'][0]}/.s.PGSQL.{query['port'][0]}")
    server = await asyncio.start_unix_server(proxy.serve, directory / ".s.PGSQL.5432")
    url = urlunsplit(parts._replace(query=f"host={quote(str(directory))}&port=5432"))
    try:
        yield proxy, url
    finally:
        proxy.thaw()
        server.close()
        await proxy.close()
