"""Time that stands still until a test moves it, for every connection of one database."""

from datetime import datetime

import asyncpg
from asyncpg import Record

# Granted to all, since the verbs read it with their owner's rights.
FAKE_CLOCK = """
create table if not exists holdfast.fake_clock (at timestamptz not null);
grant select on holdfast.fake_clock to public;
truncate holdfast.fake_clock;
insert into holdfast.fake_clock values (clock_timestamp());
create or replace function holdfast.now()
returns timestamptz
language sql stable parallel safe
as $$
  select at from holdfast.fake_clock
$$;
"""


async def install_fake_clock(conn: "asyncpg.Connection[Record]") -> None:
    await conn.execute(FAKE_CLOCK)


async def set_clock(conn: "asyncpg.Connection[Record]", at: datetime) -> None:
    await conn.execute("update holdfast.fake_clock set at = $1", at)
