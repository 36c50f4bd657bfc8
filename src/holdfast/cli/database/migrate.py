"""`holdfast migrate`."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

import typer

from holdfast.cli.frame.common_options import DryRun, Json
from holdfast.cli.frame.global_options import Target, start_logging, target_of
from holdfast.cli.frame.output import say, write
from holdfast.cli.frame.render import print_json
from holdfast.cli.frame.session import connected
from holdfast.db import migrate as schema
from holdfast.db.connect import Connection, Database
from holdfast.db.maintenance import make_partitions
from holdfast.db.migration_script import migration_script
from holdfast.db.schema_check import advice_for
from holdfast.model.error import PermissionDenied, SchemaBehind


def migrate(
    context: typer.Context,
    check: Annotated[
        bool,
        typer.Option("--check", help="Change nothing; exit with code 4 if the schema is not up to date."),
    ] = False,
    dry_run: DryRun = False,
    sql: Annotated[bool, typer.Option("--sql", help="Change nothing; print the SQL that would run.")] = False,
    as_json: Json = False,
) -> None:
    """Several processes may run this command at the same time, and workers may keep running.

    Exits with code 4 if the schema is newer than this program, or was made by a development version.
    """
    target = target_of(context)
    start_logging(target)
    if sql:
        asyncio.run(_print_sql(target, as_json))
    elif check or dry_run:
        asyncio.run(_look(target, check, as_json))
    else:
        asyncio.run(_migrate(target, as_json))


async def _look(target: Target, check: bool, as_json: bool) -> None:
    async with _migrating(target) as (_, connection):
        missing = await schema.pending(connection)
        state = await schema.schema_version(connection)
    if as_json:
        print_json({"pending": missing, "migration": state.migration, "function_set": state.function_set})
    else:
        for name in missing:
            write(f"pending: {name}")
        if not missing:
            write(f"up to date: migration {state.migration:04}, function set {state.function_set}")
    if check and missing:
        raise SchemaBehind("The database's schema is not up to date.")


async def _print_sql(target: Target, as_json: bool) -> None:
    async with _migrating(target) as (_, connection):
        text = await migration_script(connection)
    if as_json:
        print_json({"sql": text})
    elif text:
        write(text)
    else:
        say("note: the database is up to date, nothing would run")


async def _migrate(target: Target, as_json: bool) -> None:
    async with _migrating(target) as (database, connection):
        done = await schema.migrate(connection)
        await _prepare_partitions(database)
    if as_json:
        print_json(_document(done))
    else:
        for name in done.applied:
            write(f"applied: {name}")
        if done.functions_installed:
            write("installed: functions")
        write(f"up to date: migration {done.version:04}, function set {done.function_set}")
    if not done.roles:
        say(
            f"note: this user may not create Holdfast's roles, so only {done.owner} and superusers "
            "can use it; let a user with CREATEROLE run holdfast migrate once to have them"
        )


@asynccontextmanager
async def _migrating(target: Target) -> AsyncIterator[tuple[Database, Connection]]:
    async with (
        connected(target) as database,
        database.connection() as connection,
        advice_for(connection, database.address),
    ):
        yield database, connection


async def _prepare_partitions(database: Database) -> None:
    """Workers do this too; done here, no end falls into the default partition before the first one runs."""
    try:
        await make_partitions(database)
    except PermissionDenied:
        say("note: this user may not create the partitions of history; the first worker creates them")


def _document(done: schema.MigrationReport) -> dict[str, object]:
    return {
        "applied": done.applied,
        "functions_installed": done.functions_installed,
        "migration": done.version,
        "function_set": done.function_set,
        "roles": done.roles,
        "owner": done.owner,
    }
