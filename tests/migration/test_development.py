"""A database that a development version made, before 0.1.0, is refused with advice and is not touched."""

import shlex
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import asyncpg
import pytest
from asyncpg import Record

from holdfast.client.app import Holdfast
from holdfast.db import jobs
from holdfast.db.address import Address, Source
from holdfast.db.connect import Connection, Database
from holdfast.db.migrate import FUNCTION_SET, check_schema, migrate, pending
from holdfast.db.migration_script import migration_script
from holdfast.db.schema_check import bring_up_to_date, fit
from holdfast.db.sql_files import SqlFiles
from holdfast.model.error import SchemaAhead, SchemaDrifted
from holdfast.model.payload import encode
from tests.cli.command import Result, holdfast_process
from tests.migration.release import FILES, with_migrations
from tests.migration.test_foreign import everything
from tests.migration.test_owner import plain_user, url_for

WRITTEN = """
select string_agg(t::text, chr(10) order by t::text)
from (
  select 'migration', version, name, checksum, xmin::text from holdfast.migrations
  union all select 'functions', version, '', hash, xmin::text from holdfast.function_set
  union all select 'job', 0, id::text, state, xmin::text from holdfast.jobs
) as t
"""
MADE = "This database was made by a development version of Holdfast, before 0.1.0"
NEW_DATABASE = "create a new database for this version, and run 'holdfast migrate' there"


def development_version() -> SqlFiles:
    """Another first migration and eighteen after it, as before they became one."""
    files = with_migrations(*(f"create table holdfast.step_{n} ()" for n in range(18)))
    first, *rest = files.migrations
    return replace(files, migrations=(replace(first, text=f"{first.text}\n-- as it was"), *rest))


async def made_by_development_version(conn: "asyncpg.Connection[Record]") -> None:
    """With a function set whose number is higher than that of this version."""
    await migrate(conn, development_version(), FUNCTION_SET + 5)
    await jobs.enqueue_jobs(conn, ["t"], [encode(1)])


@pytest.fixture
async def development(empty: "asyncpg.Connection[Record]") -> "asyncpg.Connection[Record]":
    await made_by_development_version(empty)
    return empty


async def state_of(conn: "asyncpg.Connection[Record]") -> tuple[object, ...]:
    return await everything(conn), await conn.fetchval(WRITTEN)


@pytest.mark.parametrize("step", [migrate, pending, check_schema, migration_script])
async def test_each_step_refuses_it_and_changes_nothing(
    development: "asyncpg.Connection[Record]", step: Callable[[Connection], Awaitable[object]]
) -> None:
    before = await state_of(development)
    with pytest.raises(SchemaDrifted, match=MADE) as caught:
        await step(development)
    assert (caught.value.hint, caught.value.exit_code) == (NEW_DATABASE, 4)
    assert await state_of(development) == before


async def test_one_that_got_only_some_of_the_migrations_is_refused_too(
    empty: "asyncpg.Connection[Record]",
) -> None:
    files = development_version()
    await migrate(empty, replace(files, migrations=files.migrations[:1]), 1)
    with pytest.raises(SchemaDrifted, match=MADE):
        await migrate(empty)


async def test_a_program_is_refused_when_it_connects(
    development: "asyncpg.Connection[Record]", empty_database_url: str
) -> None:
    before = await state_of(development)
    app = Holdfast(empty_database_url)

    @app.task()
    async def work() -> None: ...

    with pytest.raises(SchemaDrifted, match=MADE) as caught:
        await work.enqueue()
    assert caught.value.hint == NEW_DATABASE
    assert await state_of(development) == before


async def test_a_user_without_a_role_is_not_kept_from_connecting(
    migrated: "asyncpg.Connection[Record]", database_url: str
) -> None:
    """What the user lacks is said by the first verb, which names the role."""
    async with plain_user(migrated) as name, Database(url_for(name, database_url), fit=fit) as database:
        assert await database.fetch("select 1")


async def test_a_newer_release_is_not_taken_for_a_development_version(
    migrated: "asyncpg.Connection[Record]", database_url: str
) -> None:
    await migrate(migrated, with_migrations("create table holdfast.later ()"), FUNCTION_SET + 1)
    with pytest.raises(SchemaAhead):
        await migrate(migrated)
    await check_schema(migrated)
    async with Database(database_url, fit=fit) as database:
        assert await database.fetch("select 1")


async def test_the_embedded_database_is_refused_with_the_path_of_its_data_directory(
    development: "asyncpg.Connection[Record]", empty_database_url: str
) -> None:
    cluster = Path(await development.fetchval("select current_setting('data_directory')"))
    before = await state_of(development)
    for check in (
        bring_up_to_date(development),
        fit(development, Address(empty_database_url, Source.EMBEDDED)),
    ):
        with pytest.raises(SchemaDrifted, match=MADE) as caught:
            await check
        assert f"move or remove its data directory {cluster.parent};" in (caught.value.hint or "")
    assert await state_of(development) == before


async def test_another_drift_of_the_embedded_database_gives_no_advice_to_remove_it(
    migrated: "asyncpg.Connection[Record]",
) -> None:
    """It may hold jobs of a release."""
    await migrate(migrated, with_migrations("create table holdfast.later ()"))
    await migrated.execute("update holdfast.migrations set checksum = 'x' where version > 1")
    with pytest.raises(SchemaDrifted) as caught:
        await migrate(migrated, with_migrations("create table holdfast.later ()"))
    assert caught.value.migration == len(FILES.migrations) + 1
    assert "remove" not in (caught.value.hint or "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", ["migrate", "migrate --check", "migrate --dry-run", "migrate --sql", "enqueue t", "jobs list"]
)
async def test_every_command_says_what_to_do(
    development: "asyncpg.Connection[Record]", empty_database_url: str, command: str
) -> None:
    before = await state_of(development)
    said = holdfast_process(*shlex.split(command), url=empty_database_url)
    assert said.code == 4
    assert MADE in joined(said)
    assert NEW_DATABASE in joined(said)
    assert await state_of(development) == before


@pytest.mark.slow
async def test_doctor_says_what_to_do(
    development: "asyncpg.Connection[Record]", empty_database_url: str
) -> None:
    said = holdfast_process("doctor", "--json", url=empty_database_url)
    (found,) = [one for one in said.document["findings"] if one["check"] == "schema"]
    assert found["level"] == "wrong"
    assert found["message"].startswith(MADE)
    assert found["fix"] == NEW_DATABASE


def joined(said: Result) -> str:
    """Errors are wrapped to the width of the terminal."""
    return " ".join(said.err.split())
