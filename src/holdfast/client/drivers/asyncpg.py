"""asyncpg, Holdfast's own driver: its errors are translated where all statements are sent."""

from typing import Any

from asyncpg import Record

from holdfast.db.connect import Connection


class Asyncpg:
    blocks = False

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    async def fetch(self, query: str, /, *args: Any) -> list[Record]:
        return await self._conn.fetch(query, *args)
