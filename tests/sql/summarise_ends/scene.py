"""What the statistics say."""

from datetime import timedelta
from typing import Any

from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import Running, completed_job, to_json
from tests.sql.conftest import Clock

COUNTS = """
select * from holdfast.end_counts
where what = $1
order by is_hour, minute, queue, task, pipeline, stage, state, name
"""


async def summarise(conn: Connection, within: str = "1 minute") -> None:
    """Counts everything, also what was counted a moment ago. Within 0, counts one minute."""
    await conn.execute("update holdfast.chores set counts = counts - 'again' where name = 'summarise_ends'")
    await conn.execute("select holdfast.summarise_ends($1::text::interval)", within)


async def counts(conn: Connection, what: str) -> list[Record]:
    return await conn.fetch(COUNTS, what)


async def totals(conn: Connection, what: str) -> dict[tuple[str, ...], int]:
    """How many, by queue, task, stage, state and name."""
    rows = await conn.fetch("select * from holdfast.stat_totals() where what = $1", what)
    return {(row["queue"], row["task"], row["stage"], row["state"], row["name"]): row["jobs"] for row in rows}


async def call(conn: Connection, job: Running, kind: str = "model", **more: Any) -> None:
    said = {"kind": kind, "name": "big", "seconds": 1, **more}
    assert await conn.fetchval("select holdfast.save_call($1, $2, $3)", job.id, job.token, to_json(said))


async def many_counts(conn: Connection, number: int) -> None:
    """So many counts of an end and of a model's call, each of its own queue."""
    await conn.execute(
        "insert into holdfast.end_counts (minute, what, queue, task, state, name, jobs)"
        " select date_trunc('minute', holdfast.now()), k.what, 'q' || i, 'task', k.state, k.name, 1"
        " from generate_series(1, $1) as i,"
        " (values ('end', 'completed', ''), ('call', 'model', 'big')) as k (what, state, name)",
        number,
    )


async def of_hours(conn: Connection) -> list[Record]:
    return [row for row in await counts(conn, "end") if row["is_hour"]]


async def two_minutes_of_one_hour(conn: Connection, clock: Clock) -> None:
    now = await clock.now()
    await clock.advance(now.replace(minute=10, second=5, microsecond=0) + timedelta(hours=1) - now)
    for _ in range(2):
        await completed_job(conn)
        await clock.advance(timedelta(minutes=1))
    await summarise(conn)
