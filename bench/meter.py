"""What a system asks of the server: statements, buffers and WAL, counted by pg_stat_statements."""

from dataclasses import dataclass
from typing import Any

import asyncpg

from bench.server import WATCHER, on_connection, watching

USED = """
select coalesce(sum(calls), 0)::bigint, coalesce(sum(shared_blks_hit + shared_blks_read), 0)::bigint,
  coalesce(sum(wal_bytes), 0)::bigint
from pg_stat_statements
join pg_roles as r on r.oid = userid
where dbid = (select oid from pg_database where datname = current_database())
  and r.rolname <> $1
  and query like $2
"""


@dataclass(frozen=True, slots=True)
class Usage:
    """`wal` is the whole server's, `wal_of_statements` leaves out what autovacuum wrote."""

    statements: int
    buffers: int
    wal: int
    wal_of_statements: int


class Meter:
    """Counts from `start` on; `read` may be called again and again."""

    def __init__(self, url: str) -> None:
        self._url = watching(url)
        self._lsn: Any = None

    def start(self) -> None:
        self._lsn = on_connection(self._url, _reset)

    def read(self, like: str = "%") -> Usage:
        async def ask(connection: "asyncpg.Connection[Any]") -> Usage:
            wal = await connection.fetchval("select pg_current_wal_insert_lsn() - $1::pg_lsn", self._lsn)
            row = await connection.fetchrow(USED, WATCHER, like)
            assert row is not None
            return Usage(row[0], row[1], int(wal), row[2])

        return on_connection(self._url, ask)


async def _reset(connection: "asyncpg.Connection[Any]") -> Any:
    await connection.execute("create extension if not exists pg_stat_statements")
    await connection.execute("select pg_stat_statements_reset()")
    return await connection.fetchval("select pg_current_wal_insert_lsn()")
