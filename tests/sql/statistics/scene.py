"""What the statistics say."""

from typing import Any
from uuid import UUID

from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import Running, to_json

COUNTS = """
select * from holdfast.end_counts
where what = $1
order by is_hour, minute, queue, task, pipeline, stage, state, name
"""


async def summarise(conn: Connection) -> None:
    """Counts everything, also what was counted a moment ago."""
    await conn.execute("update holdfast.chores set counts = counts - 'again' where name = 'summarise_ends'")
    await conn.execute("select holdfast.summarise_ends()")


async def counts(conn: Connection, what: str) -> list[Record]:
    return await conn.fetch(COUNTS, what)


async def totals(conn: Connection, what: str) -> dict[tuple[str, ...], int]:
    """How many, by queue, task, stage, state and name."""
    rows = await conn.fetch("select * from holdfast.stat_totals() where what = $1", what)
    return {
        (row["queue"], row["task"], row["stage"], row["state"], row["name"]): row["jobs"] for row in rows
    }


async def call(conn: Connection, job: Running, kind: str = "model", **more: Any) -> None:
    said = {"kind": kind, "name": "big", "seconds": 1, **more}
    assert await conn.fetchval("select holdfast.save_call($1, $2, $3)", job.id, job.token, to_json(said))


async def plan_of(conn: Connection, job: UUID) -> Record:
    (row,) = await conn.fetch("select * from holdfast.jobs where id = $1", job)
    return row
