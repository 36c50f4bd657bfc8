"""Scripts of systems that come with psycopg."""

from typing import Any

import psycopg

from bench.peers.script import SqlScript


class PsycopgScript(SqlScript):
    _connection: Any = None

    async def fetch(self, url: str, query: str) -> Any:
        if self._connection is None:
            self._connection = await psycopg.AsyncConnection.connect(url, autocommit=True)
        return await (await self._connection.execute(query.encode())).fetchone()
