"""What a page of the dashboard asks of the database: its statements, and the buffers that each touches."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from asyncpg.connection import LoggedQuery
from httpx2 import ASGITransport, AsyncClient

from holdfast.api.app import api_app
from holdfast.api.limits.limits import Limits
from holdfast.api.limits.loopback import loopback_key
from holdfast.client.app import Holdfast
from holdfast.dashboard.dashboard import add_dashboard
from holdfast.db.connect import POOL_SIZE, Connection
from holdfast.model.access_key import SecretHash
from tests.plan.test_reading import buffers


@dataclass(slots=True)
class Statements:
    """What was sent, with its arguments, in order."""

    sent: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)

    def note(self, query: LoggedQuery) -> None:
        self.sent.append((query.query, tuple(query.args)))

    async def buffers(self, conn: Connection) -> dict[str, int]:
        """By statement: each is sent once more, and takes nothing of what it changes with it."""
        found: dict[str, int] = {}
        for query, args in self.sent:
            if query.lstrip().startswith(("select", "with")) and ";" not in query:  # no reset of a session
                found[query] = found.get(query, 0) + await buffers(conn, query, *args)
        return found


@dataclass(slots=True)
class Reader:
    """Opens pages of a server that has just started: nothing is kept from before."""

    app: Holdfast
    key: SecretHash
    statements: Statements = field(default_factory=Statements)

    @asynccontextmanager
    async def server(self) -> AsyncIterator[AsyncClient]:
        limits = Limits(failed_log_ins=0)
        api = api_app(self.app, limits=limits, without_keys=self.key, add_pages=add_dashboard)
        transport = ASGITransport(app=api)
        async with AsyncClient(
            transport=transport, base_url="http://localhost", timeout=None, follow_redirects=True
        ) as client:
            yield client

    async def open(self, client: AsyncClient, address: str) -> str:
        self.statements.sent.clear()
        answered = await client.get(address)
        assert answered.status_code == 200, (address, answered.text)
        return answered.text


@asynccontextmanager
async def reader(app: Holdfast) -> AsyncIterator[Reader]:
    """It hears what all connections of the app's pool send."""
    async with loopback_key(app) as key:
        found = Reader(app, key)
        connections = [await app.database.acquire() for _ in range(POOL_SIZE)]
        for one in connections:
            one.add_query_logger(found.statements.note)
            await app.database.release(one)
        yield found
