"""A clock that stands still until a test moves it."""

import pytest_asyncio

from holdfast.db.connect import Connection
from holdfast.testing import FakeClock, install_fake_clock


@pytest_asyncio.fixture(loop_scope="session")
async def clock(conn: Connection) -> FakeClock:
    return await install_fake_clock(conn)
