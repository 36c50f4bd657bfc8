from collections.abc import AsyncIterator

import asyncpg
import pytest
from asyncpg import Record

from tests.migration.release import connection


@pytest.fixture
async def empty(empty_database_url: str) -> AsyncIterator["asyncpg.Connection[Record]"]:
    async with connection(empty_database_url) as conn:
        yield conn


@pytest.fixture
async def migrated(database_url: str) -> AsyncIterator["asyncpg.Connection[Record]"]:
    async with connection(database_url) as conn:
        yield conn
