"""The block in which a handler's writes and its job's completion are one transaction."""

from typing import Any

from asyncpg import Record

from holdfast.db.connect import Connection


class JobTransaction:
    """Statements on the transaction's connection; `output` becomes the job's."""

    __slots__ = ("connection", "output")

    def __init__(self, connection: Connection, output: Any) -> None:
        self.connection = connection
        self.output = output

    async def execute(self, query: str, /, *args: Any) -> str:
        return await self.connection.execute(query, *args)

    async def executemany(self, query: str, /, args: Any) -> None:
        await self.connection.executemany(query, args)

    async def fetch(self, query: str, /, *args: Any) -> list[Record]:
        return await self.connection.fetch(query, *args)

    async def fetchrow(self, query: str, /, *args: Any) -> Record | None:
        return await self.connection.fetchrow(query, *args)

    async def fetchval(self, query: str, /, *args: Any) -> Any:
        return await self.connection.fetchval(query, *args)
