"""A clock that stands still until a test moves it."""

import pytest

from holdfast.db.connect import Connection
from holdfast.testing import FakeClock, install_fake_clock


@pytest.fixture
async def clock(conn: Connection) -> FakeClock:
    return await install_fake_clock(conn)
