"""Who owns the schema where the user of a migration is no superuser."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import asyncpg
import pytest
from asyncpg import Record

from holdfast.db import jobs
from holdfast.db.migrate import check_schema, migrate
from holdfast.model.error import PermissionDenied
from holdfast.model.payload import encode
from tests.migration.release import connection, with_migration

LATER = with_migration("create table holdfast.later ()")


@asynccontextmanager
async def plain_user(conn: "asyncpg.Connection[Record]") -> AsyncIterator[str]:
    """The name of a user who may create a schema but no role."""
    name = f"plain_{uuid4().hex}"
    database = await conn.fetchval("select current_database()")
    await conn.execute(f"create role {name} login")
    await conn.execute(f"grant create on database {database} to {name}")
    try:
        yield name
    finally:
        await conn.execute(f"drop owned by {name} cascade")
        await conn.execute(f"drop role {name}")


def url_for(name: str, url: str) -> str:
    return url.replace("//holdfast@", f"//{name}@")


async def owner_of_later(conn: "asyncpg.Connection[Record]") -> str | None:
    owner: str | None = await conn.fetchval("select tableowner from pg_tables where tablename = 'later'")
    return owner


async def test_a_user_who_may_create_no_roles_owns_everything(
    empty: "asyncpg.Connection[Record]", empty_database_url: str
) -> None:
    async with plain_user(empty) as name, connection(url_for(name, empty_database_url)) as plain:
        assert (await migrate(plain)).owner == name
        assert not (await migrate(plain)).changed
        assert await jobs.enqueue_jobs(plain, ["t"], [encode(1)])
        await migrate(plain, LATER)
        assert await owner_of_later(empty) == name


async def test_a_member_of_the_owner_migrates_as_the_owner(
    migrated: "asyncpg.Connection[Record]", database_url: str
) -> None:
    async with plain_user(migrated) as name, connection(url_for(name, database_url)) as member:
        await migrated.execute(f"grant holdfast_owner to {name}")
        await migrate(member, LATER)
        assert await owner_of_later(migrated) == "holdfast_owner"


async def test_a_user_who_may_create_roles_installs_as_the_owner(
    empty: "asyncpg.Connection[Record]", empty_database_url: str
) -> None:
    async with plain_user(empty) as name, connection(url_for(name, empty_database_url)) as creator:
        await empty.execute(f"alter role {name} createrole")
        for role in ("owner", "producer", "worker", "operator", "viewer"):
            if await empty.fetchval("select current_setting('server_version_num')::int >= 160000"):
                await empty.execute(f"grant holdfast_{role} to {name} with admin option")
        report = await migrate(creator)
        assert (report.owner, report.roles) == ("holdfast_owner", True)


async def test_a_user_who_is_no_member_of_the_owner_is_told_so(
    migrated: "asyncpg.Connection[Record]", database_url: str
) -> None:
    async with plain_user(migrated) as name, connection(url_for(name, database_url)) as stranger:
        await migrated.execute(f"grant holdfast_viewer to {name}")
        with pytest.raises(PermissionDenied, match="belongs to the role holdfast_owner"):
            await migrate(stranger, LATER)
        await check_schema(stranger)
