"""What a call costs, in numbers that do not depend on the machine: buffers touched and WAL written."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from holdfast.db.connect import Connection


@dataclass(frozen=True, slots=True)
class Cost:
    buffers: int
    wal_bytes: int
    full_pages: int

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            self.buffers + other.buffers,
            self.wal_bytes + other.wal_bytes,
            self.full_pages + other.full_pages,
        )


async def cost_of(conn: Connection, call: str, *args: object) -> Cost:
    """Calls a verb. The figures include all that it does inside, with the plans that this session kept."""
    explained = await conn.fetchval(
        f"explain (analyze, buffers, wal, format json) select * from holdfast.{call}", *args
    )
    plan: dict[str, Any] = json.loads(explained)[0]["Plan"]
    return Cost(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"], plan["WAL Bytes"], plan["WAL FPI"])


# Rows written since the transaction began, by table and kind.
WRITES = """
select relname, n_tup_ins, n_tup_upd, n_tup_del, n_tup_hot_upd
from pg_stat_xact_user_tables
where schemaname = 'holdfast'
  and n_tup_ins + n_tup_upd + n_tup_del > 0
"""

# Partitions of history looked into since the transaction began.
PARTITIONS_READ = """
select relname
from pg_stat_xact_user_tables
where relname ~ '^history_'
  and seq_scan + coalesce(idx_scan, 0) > 0
order by relname
"""


@asynccontextmanager
async def counting(conn: Connection) -> AsyncIterator[None]:
    """A transaction that counts from zero: what the session did before is handed in first."""
    await conn.execute("select pg_stat_force_next_flush()")
    async with conn.transaction():
        yield


async def writes(conn: Connection) -> dict[str, tuple[int, int, int]]:
    """Inserts, updates and deletes of this transaction by table; all weeks of history are one."""
    counts: dict[str, tuple[int, int, int]] = {}
    for row in await conn.fetch(WRITES):
        table = "history" if row["relname"].startswith("history_") else row["relname"]
        before = counts.get(table, (0, 0, 0))
        counts[table] = (
            before[0] + row["n_tup_ins"],
            before[1] + row["n_tup_upd"],
            before[2] + row["n_tup_del"],
        )
    return counts


async def partitions_read(conn: Connection) -> list[str]:
    return [row["relname"] for row in await conn.fetch(PARTITIONS_READ)]
