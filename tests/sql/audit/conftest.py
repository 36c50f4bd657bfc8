"""Each test begins at the start of a day, so that it does not run into the next one."""

import pytest_asyncio

from holdfast.db.connect import Connection
from tests.sql.conftest import FAKE_NOW, Clock


@pytest_asyncio.fixture(loop_scope="session")
async def clock(conn: Connection) -> Clock:
    await conn.execute(FAKE_NOW)
    found = Clock(conn)
    start = await conn.fetchval(
        "select (date_trunc('day', clock_timestamp() at time zone 'UTC') + interval '1 day 1 minute')"
        " at time zone 'UTC' - clock_timestamp()"
    )
    await found.advance(start)
    return found
