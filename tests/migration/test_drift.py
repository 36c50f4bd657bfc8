"""The tables as people read them are the tables that the migrations make."""

import asyncpg
from asyncpg import Record

from holdfast.db.sql_files import SQL
from tests.migration.catalog import catalog_of


async def test_the_schema_in_reading_order_is_what_the_migrations_make(
    conn: "asyncpg.Connection[Record]", empty_database_url: str
) -> None:
    reader = await asyncpg.connect(empty_database_url)
    await reader.execute("create schema holdfast")
    await reader.execute((SQL / "bootstrap.sql").read_text())
    for path in sorted((SQL / "schema").glob("*.sql")):
        await reader.execute(path.read_text())
    as_read = await catalog_of(reader)
    await reader.close()
    as_migrated = await catalog_of(conn)
    assert sorted(as_read - as_migrated) == [], "in schema/ but not made by migrations/"
    assert sorted(as_migrated - as_read) == [], "made by migrations/ but not in schema/"
