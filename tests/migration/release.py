"""Releases that differ from this one by a migration or a function."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import asyncpg
from asyncpg import Record

from holdfast.db.sql_files import Migration, SqlFile, SqlFiles, load_sql_files

FILES = load_sql_files()
NEWEST = FILES.migrations[-1].version


def with_migration(text: str, files: SqlFiles = FILES) -> SqlFiles:
    return with_migrations(text, files=files)


def with_migrations(*texts: str, files: SqlFiles = FILES) -> SqlFiles:
    added = (Migration(number, "added", text) for number, text in enumerate(texts, NEWEST + 1))
    return replace(files, migrations=(*files.migrations, *added))


def with_function(text: str, files: SqlFiles = FILES) -> SqlFiles:
    return replace(files, functions=(*files.functions, SqlFile("job/added.sql", text)))


@asynccontextmanager
async def connection(url: str) -> AsyncIterator["asyncpg.Connection[Record]"]:
    conn = await asyncpg.connect(url)
    try:
        yield conn
    finally:
        await conn.close()
