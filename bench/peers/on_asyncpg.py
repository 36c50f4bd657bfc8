"""Scripts of systems that come with asyncpg."""

from typing import Any

import asyncpg

from bench.peers.script import SqlScript


class AsyncpgScript(SqlScript):
    _connection: Any = None

    async def fetch(self, url: str, query: str) -> Any:
        if self._connection is None:
            self._connection = await asyncpg.connect(url)
        return await self._connection.fetchrow(query)
