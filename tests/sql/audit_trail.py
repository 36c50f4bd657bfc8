"""An audit trail of several days, as tests of its seals need it."""

from dataclasses import dataclass
from datetime import date, timedelta

import pytest_asyncio

from holdfast.db.connect import Connection
from tests.sql.conftest import FAKE_NOW, Clock

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Verdict:
    status: str
    problem: str | None


@pytest_asyncio.fixture(loop_scope="session")
async def clock(conn: Connection) -> Clock:
    """At the start of a day, so that no test runs into the next one."""
    await conn.execute(FAKE_NOW)
    found = Clock(conn)
    start = await conn.fetchval(
        "select (date_trunc('day', clock_timestamp() at time zone 'UTC') + interval '1 day 1 minute')"
        " at time zone 'UTC' - clock_timestamp()"
    )
    await found.advance(start)
    return found


async def act(conn: Connection, reason: str = "lunch") -> int:
    """An action of an operator; the number of its event."""
    await conn.execute("select holdfast.pause_all_queues($1, 'Ada')", reason)
    number: int = await conn.fetchval("select max(id) from holdfast.events")
    return number


async def seal(conn: Connection, limit: int = 10_000) -> tuple[int, int]:
    row = await conn.fetchrow("select * from holdfast.seal_events($1)", limit)
    assert row is not None
    return row["days"], row["events"]


async def sealed_days(conn: Connection, clock: Clock, days: int = 3, events: int = 3) -> list[list[int]]:
    """Sealed days, and a day of today that is not; the numbers of the events of each."""
    made = []
    for _ in range(days + 1):
        made.append([await act(conn, f"reason {number}") for number in range(events)])
        await clock.advance(DAY)
    await clock.advance(-DAY)
    assert await seal(conn) == (days, days * events)
    return made


async def verify(conn: Connection, expect: str | None = None) -> dict[date | None, Verdict]:
    rows = await conn.fetch("select * from holdfast.verify_events(expect => $1)", expect)
    return {row["day"]: Verdict(row["status"], row["problem"]) for row in rows}


async def statuses(conn: Connection, expect: str | None = None) -> list[str]:
    return [verdict.status for verdict in (await verify(conn, expect)).values()]


async def seals(conn: Connection) -> list[str]:
    return [row["seal"] for row in await conn.fetch("select seal from holdfast.seal_view order by day")]
