"""One connection for many statements, without the pool in between."""

from time import monotonic
from typing import Any

import asyncpg
from asyncpg import Record
from asyncpg.pool import PoolConnectionProxy

from holdfast.db.connect import Database

KEPT_FOR = 60.0  # seconds; a firewall may drop a connection that is silent for minutes


class KeptConnection:
    """One connection of a Database, kept between statements, one statement at a time.

    Acquiring it from the pool and releasing it each time costs a task and several turns of the event loop.
    A connection that broke, or was not used for long, is replaced.
    """

    __slots__ = ("_connection", "_database", "_used_at")

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: PoolConnectionProxy[Record] | None = None
        self._used_at = 0.0

    async def fetch(self, query: str, /, *args: Any) -> list[Record]:
        connection = self._connection
        try:
            is_old = connection is None or connection.is_closed() or monotonic() - self._used_at > KEPT_FOR
        except asyncpg.InterfaceError:  # the pool has taken back one that died by itself
            is_old = True
        if connection is None or is_old:
            connection = await self._change()
        self._used_at = monotonic()
        try:
            return await connection.fetch(query, *args)
        except asyncpg.ReadOnlySQLTransactionError:
            connection.terminate()  # of a server that became a standby, as in replaced_if_read_only
            raise
        except asyncpg.InternalServerError as exc:
            # A migration dropped a function that this session's plans name. The statement changed nothing.
            if "cache lookup failed" not in str(exc):
                raise
            return await connection.fetch(query, *args)

    async def give_back(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await self._database.release(connection)

    async def _change(self) -> "PoolConnectionProxy[Record]":
        await self.give_back()
        self._connection = await self._database.acquire()
        return self._connection
