"""A server of a test file's own, which its tests kill, with a database for each of them."""

import asyncio
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import asyncpg

from holdfast.db.migrate import migrate
from holdfast.embedded import EmbeddedServer
from tests.crash.processes import until
from tests.database import url_of


@dataclass(frozen=True, slots=True)
class Place:
    """A database of one test, on a server that is killed in each."""

    server: EmbeddedServer
    name: str

    async def url(self) -> str:
        """Starts the server, if it was killed."""
        return url_of(await asyncio.to_thread(self.server.start), self.name)

    @asynccontextmanager
    async def connected(self) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
        conn = await asyncpg.connect(await self.url())
        try:
            yield conn
        finally:
            conn.terminate()

    async def crash(self, number: signal.Signals) -> None:
        postmaster = self.server.postmaster_pid
        assert postmaster is not None
        os.kill(postmaster, number)

        async def is_gone() -> bool:
            return self.server.postmaster_pid is None

        await until(is_gone)


@contextmanager
def a_durable_server(settings: Mapping[str, str]) -> Iterator[EmbeddedServer]:
    with tempfile.TemporaryDirectory(prefix="hf-", ignore_cleanup_errors=True) as directory:
        Path(directory).chmod(0o755)
        server = EmbeddedServer(Path(directory) / "data", settings=dict(settings))
        try:
            yield server
        finally:
            server.stop()


async def a_place(server: EmbeddedServer) -> Place:
    """With a new migrated database."""
    name = f"test_{uuid4().hex}"
    conn = await asyncpg.connect(await asyncio.to_thread(server.start))
    await conn.execute(f"create database {name}")
    await conn.close()
    made = Place(server, name)
    async with made.connected() as inside:
        await migrate(inside)
    return made
