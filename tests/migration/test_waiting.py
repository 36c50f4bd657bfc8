"""A migration waits for its lock, which any login may take, and says who has it."""

import asyncio
import logging
from datetime import timedelta

import asyncpg
import pytest
from asyncpg import Record

from holdfast.db import migrate as migrating
from holdfast.db.migrate import migrate
from holdfast.model.error import Timeout
from tests.migration.release import connection
from tests.patience import PATIENCE


async def a_holder(url: str) -> "asyncpg.Connection[Record]":
    holder = await asyncpg.connect(url, server_settings={"application_name": "stranger"})
    await holder.execute("select pg_advisory_lock($1)", migrating.LOCK_KEY)
    return holder


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrating, "TOLD_AFTER", timedelta(milliseconds=20))


@pytest.mark.usefixtures("impatient")
async def test_who_has_the_lock_is_told_while_a_migration_waits(
    empty_database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    holder = await a_holder(empty_database_url)
    told = f"migration.waited_for_lock because=process {holder.get_server_pid()} (stranger) holds"
    async with connection(empty_database_url) as conn:
        migration = asyncio.create_task(migrate(conn))
        async with asyncio.timeout(PATIENCE):
            while not any(told in line for line in caplog.messages):
                await asyncio.sleep(0.01)
        await holder.close()
        assert (await migration).functions_installed
    assert [record.levelno for record in caplog.records if told in record.getMessage()] == [logging.WARNING]


@pytest.mark.usefixtures("impatient")
async def test_a_migration_that_gives_up_names_who_has_the_lock(
    empty_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrating, "OTHER_MIGRATION_WAIT", timedelta(0))
    holder = await a_holder(empty_database_url)
    async with connection(empty_database_url) as conn:
        with pytest.raises(Timeout, match=rf"process {holder.get_server_pid()} \(stranger\)"):
            await migrate(conn)
    await holder.close()
