"""One database for the races of a test process, emptied before each."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from tests.database import fresh_database
from tests.race.crowd import Crowd, emptied


@pytest.fixture(scope="session")
def race_database_url(server_url: str, template: str) -> Iterator[str]:
    with asyncio.Runner() as runner:
        database = fresh_database(server_url, template)
        yield runner.run(database.__aenter__())
        runner.run(database.__aexit__(None, None, None))


@pytest.fixture
async def crowd(race_database_url: str) -> AsyncIterator[Crowd]:
    """Connections that race, and one that watches."""
    async with emptied(race_database_url) as crowd:
        yield crowd


@pytest.fixture
async def crowded(crowd: Crowd) -> AsyncIterator[Crowd]:
    """Endpoints are not in the list of what a race leaves behind."""
    await crowd.watcher.execute("delete from holdfast.endpoints")
    yield crowd
    await crowd.watcher.execute("delete from holdfast.endpoints")
