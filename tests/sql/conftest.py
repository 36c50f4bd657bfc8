"""A clock that a test can advance."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest_asyncio

from holdfast.db.connect import Connection

FAKE_NOW = """
create or replace function holdfast.now()
returns timestamptz
language sql stable parallel safe
as $$
  select clock_timestamp() + coalesce(nullif(current_setting('holdfast_test.ahead', true), '')::interval, '0')
$$
"""
# For tests of minutes and of durations: time moves only where the test moves it.
STANDING_NOW = FAKE_NOW.replace("clock_timestamp()", "now()")


@dataclass(slots=True)
class Clock:
    """Holdfast's clock inside the test's own transaction: it runs on until it is told to stand, and can be
    put forward.
    """

    conn: Connection
    ahead: timedelta = field(default=timedelta())

    async def advance(self, step: timedelta) -> None:
        self.ahead += step
        await self.conn.execute(
            "select set_config('holdfast_test.ahead', $1, true)", f"{self.ahead.total_seconds()} seconds"
        )

    async def stand(self) -> None:
        await self.conn.execute(STANDING_NOW)

    async def now(self) -> datetime:
        now: datetime = await self.conn.fetchval("select holdfast.now()")
        return now


@pytest_asyncio.fixture(loop_scope="session")
async def clock(conn: Connection) -> Clock:
    await conn.execute(FAKE_NOW)
    return Clock(conn)
