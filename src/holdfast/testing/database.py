"""Databases for tests: cloned from a migrated template, which is made once per state of the SQL files."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import asyncpg
from asyncpg import Record

from holdfast.db.address import resolve_address
from holdfast.db.connect import connect
from holdfast.db.migrate import FUNCTION_SET, migrate
from holdfast.db.sql_files import SQL
from holdfast.testing.server import find_server

# What a test database is called; the fake clock goes into no other.
PREFIX = "test_"

TEMPLATE_LOCK = 4711
EMPTY = "template1"

LOCK = "select pg_advisory_lock($1)"
EXISTS = "select exists (select from pg_database where datname = $1)"
CATALOGS = """
select relname from pg_class
where relnamespace = 'pg_catalog'::regnamespace and relkind = 'r' and relpages > 1 and not relisshared
"""
OLD_DATABASES = r"""
select datname
from pg_database
where datname ~ '^(template|draft|test)_[0-9a-f]+$'
  and (pg_stat_file(format('base/%s/PG_VERSION', oid), true)).modification < now() - interval '1 day'
"""


@asynccontextmanager
async def fresh_database(server_url: str | None = None) -> AsyncIterator[str]:
    """The URL of a new migrated database, dropped afterwards, open connections included."""
    if server_url is None:
        server_url = await asyncio.to_thread(find_server)
    async with clone_database(server_url, await make_template(server_url)) as clone:
        yield clone


async def make_template(server_url: str) -> str:
    """The name of the template; whichever process comes first makes it."""
    name = f"template_{_hash_of_sql()}"
    admin = await _connect(server_url)
    try:
        if not await admin.fetchval(EXISTS, name):
            await admin.execute(LOCK, TEMPLATE_LOCK)
            await _drop_old(admin)
            if not await admin.fetchval(EXISTS, name):
                await _migrate_into(admin, server_url, name)
    finally:
        await admin.close()
    return name


@asynccontextmanager
async def clone_database(server_url: str, template: str = EMPTY) -> AsyncIterator[str]:
    name = f"{PREFIX}{uuid4().hex}"
    admin = await _connect(server_url)
    try:
        await admin.execute(f"create database {name} template {template}{await _strategy(admin)}")
        try:
            yield url_of(server_url, name)
        finally:
            await admin.execute(f"drop database {name} with (force)")
    finally:
        await admin.close()


def url_of(server_url: str, database: str) -> str:
    return urlunsplit(urlsplit(server_url)._replace(path=f"/{database}"))


async def _strategy(admin: "asyncpg.Connection[Record]") -> str:
    """Copying files is several times faster for a small database; before 15 there was no other way."""
    return " strategy file_copy" if admin.get_server_version().major >= 15 else ""


async def _migrate_into(admin: "asyncpg.Connection[Record]", server_url: str, name: str) -> None:
    """Under another name first, so that a killed test run leaves no half-made template."""
    draft = f"draft_{uuid4().hex}"
    await admin.execute(f"create database {draft}")
    conn = await _connect(url_of(server_url, draft))
    try:
        await migrate(conn)
        await _settle_catalogs(conn)
    finally:
        await conn.close()
    await admin.execute(f"alter database {draft} rename to {name}")


async def _drop_old(admin: "asyncpg.Connection[Record]") -> None:
    """What killed test runs and earlier states of the SQL left behind; younger ones may be in use."""
    for row in await admin.fetch(OLD_DATABASES):
        await admin.execute(f"drop database if exists {row[0]} with (force)")


async def _connect(url: str) -> "asyncpg.Connection[Record]":
    return await connect(resolve_address(url), "holdfast testing")


def _hash_of_sql() -> str:
    digest = hashlib.sha256(str(FUNCTION_SET).encode())
    for path in sorted(SQL.rglob("*.sql")):
        digest.update(path.relative_to(SQL).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


async def _settle_catalogs(conn: "asyncpg.Connection[Record]") -> None:
    """Marks what the migration wrote as committed; else each clone's first readers do, and write WAL for it.

    Not Holdfast's own tables: a plan on a table without a vacuum must be good, too.
    """
    for row in await conn.fetch(CATALOGS):
        await conn.execute(f"vacuum pg_catalog.{row['relname']}")
