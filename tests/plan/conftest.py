"""A database of the test's own, because what a call costs depends on what others left."""

from collections.abc import AsyncIterator

import asyncpg
import pytest

from holdfast.db.connect import Connection


@pytest.fixture
async def own(database_url: str) -> AsyncIterator[Connection]:
    """With the partitions that `migrate` makes."""
    connection = await asyncpg.connect(database_url)
    await connection.execute("select holdfast.make_partitions()")
    yield connection
    await connection.close()
