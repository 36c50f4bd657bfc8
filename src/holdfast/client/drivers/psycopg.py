"""psycopg 3, with our own cursors: the caller's may have another row factory or other placeholders."""

from typing import Any

import psycopg
from psycopg.rows import tuple_row

from holdfast.client.drivers.driver_errors import translated


class Psycopg:
    blocks = True

    def __init__(self, conn: psycopg.Connection[Any]) -> None:
        self._conn = conn

    async def fetch(self, query: str, /, *args: Any) -> list[Any]:
        with translated(psycopg.Error), psycopg.RawCursor(self._conn, row_factory=tuple_row) as cursor:
            return cursor.execute(query.encode(), args).fetchall()


class AsyncPsycopg:
    blocks = False

    def __init__(self, conn: psycopg.AsyncConnection[Any]) -> None:
        self._conn = conn

    async def fetch(self, query: str, /, *args: Any) -> list[Any]:
        with translated(psycopg.Error):
            async with psycopg.AsyncRawCursor(self._conn, row_factory=tuple_row) as cursor:
                await cursor.execute(query.encode(), args)
                return await cursor.fetchall()
