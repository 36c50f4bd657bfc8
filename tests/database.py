"""Databases for tests: cloned from a migrated template, which is made once per state of the SQL directory."""

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import asyncpg

from holdfast.db.migrate import migrate
from holdfast.db.sql_files import SQL

TEMPLATE_LOCK = 4711
OLD_DATABASES = r"""
select datname
from pg_database
where datname ~ '^(template|draft|test)_[0-9a-f]+$'
  and (pg_stat_file(format('base/%s/PG_VERSION', oid))).modification < now() - interval '1 day'
"""


async def make_template(server_url: str) -> str:
    """The name of the template; whichever test process comes first makes it."""
    name = f"template_{_hash_of_sql()}"
    admin = await asyncpg.connect(server_url)
    try:
        await admin.execute("select pg_advisory_lock($1)", TEMPLATE_LOCK)
        await _drop_old(admin)
        if not await admin.fetchval("select exists (select from pg_database where datname = $1)", name):
            await _migrate_into(admin, server_url, name)
    finally:
        await admin.close()
    return name


@asynccontextmanager
async def fresh_database(server_url: str, template: str = "template1") -> AsyncIterator[str]:
    """The URL of a new database, dropped afterwards with whoever is still connected."""
    name = f"test_{uuid4().hex}"
    admin = await asyncpg.connect(server_url)
    try:
        # Copying files takes two thirds of the time; PostgreSQL 14 knows no other way.
        strategy = "strategy file_copy" if admin.get_server_version().major > 14 else ""
        await admin.execute(f"create database {name} template {template} {strategy}")
        try:
            yield url_of(server_url, name)
        finally:
            await admin.execute(f"drop database {name} with (force)")
    finally:
        await admin.close()


def url_of(server_url: str, database: str) -> str:
    return urlunsplit(urlsplit(server_url)._replace(path=f"/{database}"))


async def _migrate_into(admin: "asyncpg.Connection[asyncpg.Record]", server_url: str, name: str) -> None:
    """Under another name first, so that a killed test run leaves no half-made template."""
    draft = f"draft_{uuid4().hex}"
    await admin.execute(f"create database {draft}")
    conn = await asyncpg.connect(url_of(server_url, draft))
    try:
        await migrate(conn)
    finally:
        await conn.close()
    await admin.execute(f"alter database {draft} rename to {name}")


async def _drop_old(admin: "asyncpg.Connection[asyncpg.Record]") -> None:
    """What killed test runs and earlier states of the SQL left behind; younger ones may be in use."""
    for row in await admin.fetch(OLD_DATABASES):
        await admin.execute(f"drop database if exists {row[0]} with (force)")


def _hash_of_sql() -> str:
    digest = hashlib.sha256()
    for path in sorted(SQL.rglob("*.sql")):
        digest.update(path.relative_to(SQL).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
