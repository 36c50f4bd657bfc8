"""One database for all tests of this folder, emptied for each: a new one would take most of their time."""

import asyncio
from collections.abc import Iterator

import asyncpg
import pytest

from holdfast.client.app import Holdfast
from holdfast.client.task import Task
from tests.database import fresh_database

OWN_TABLE = "create table written (name text primary key)"
EMPTY = """
truncate
  written, holdfast.jobs, holdfast.payloads, holdfast.unique_keys, holdfast.order_keys, holdfast.events,
  holdfast.queues, holdfast.lanes, holdfast.tasks
cascade
"""


@pytest.fixture(scope="session")
def emptied_database_url(server_url: str, template: str) -> Iterator[str]:
    """In it the caller has a table of its own."""
    with asyncio.Runner() as runner:
        database = fresh_database(server_url, template)
        url = runner.run(database.__aenter__())
        runner.run(send(url, OWN_TABLE))
        yield url
        runner.run(database.__aexit__(None, None, None))


@pytest.fixture
async def database_url(emptied_database_url: str) -> str:
    await send(emptied_database_url, EMPTY)
    return emptied_database_url


@pytest.fixture
def greet(app: Holdfast) -> Task[[str], int]:
    @app.task(queue="mail")
    async def greet(name: str) -> int:
        return len(name)

    return greet


async def send(url: str, statement: str) -> None:
    conn = await asyncpg.connect(url)
    await conn.execute(statement)
    await conn.close()
