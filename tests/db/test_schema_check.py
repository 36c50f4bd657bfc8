"""A database is made to fit, or the error says which command does it."""

import asyncio
import shlex
from urllib.parse import urlsplit

import pytest

from holdfast.db.address import Address, Source
from holdfast.db.connect import Database
from holdfast.db.schema_check import fit, migrate_command
from holdfast.model.error import SchemaBehind
from tests.cli.command import holdfast


async def test_a_server_without_the_schema_is_refused_with_the_command_for_that_database(
    empty_database_url: str,
) -> None:
    name = urlsplit(empty_database_url).path[1:]
    with pytest.raises(SchemaBehind) as caught:
        await Database(empty_database_url, fit=fit).start()
    assert (
        caught.value.message == f"The database {name} (the given URL) does not contain Holdfast's tables yet."
    )
    said, command = (caught.value.hint or "").split(": ", 1)
    assert said == "run this once"
    assert (await asyncio.to_thread(holdfast, *shlex.split(command)[1:])).code == 0
    async with Database(empty_database_url, fit=fit):
        pass


async def test_an_embedded_database_is_migrated_once(empty_database_url: str) -> None:
    address = Address(empty_database_url, Source.EMBEDDED)
    async with Database(empty_database_url) as database, database.connection() as conn:
        await fit(conn, address)
        before = await conn.fetchval("select max(xmin::text::bigint) from holdfast.migrations")
        await fit(conn, address)
        assert await conn.fetchval("select max(xmin::text::bigint) from holdfast.migrations") == before


def test_the_command_shows_no_password() -> None:
    given = Address("postgresql://ada:s3cret@db:5432/shop", Source.GIVEN)
    assert (
        migrate_command(given)
        == "holdfast --database postgresql://ada@db:5432/shop migrate (with PGPASSWORD set)"
    )
    assert (
        migrate_command(Address("postgresql://ada:s3cret@db/shop", Source.DATABASE_URL)) == "holdfast migrate"
    )
