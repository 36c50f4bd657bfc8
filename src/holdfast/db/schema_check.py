"""Checks that a database fits this program before its first use."""

import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from holdfast.db.address import Address, Source, without_password
from holdfast.db.connect import Connection
from holdfast.db.development_database import naming_data_directory, refuse_development
from holdfast.db.maintenance import make_partitions
from holdfast.db.migrate import check_schema, migrate, pending
from holdfast.db.sql_files import INITIAL, initial_migration
from holdfast.db.statement import fetch_value
from holdfast.model.error import PermissionDenied, SchemaAhead, SchemaBehind

HAS_SCHEMA = "select to_regnamespace('holdfast') is not null"
NAME = "select current_database()"
CHECKSUM = "select checksum from holdfast.migrations where version = $1"


async def fit(conn: Connection, address: Address) -> None:
    """Migrates an embedded database by itself; on any other server a person must run the migration."""
    if address.source is Source.EMBEDDED:
        await bring_up_to_date(conn)
    elif not await fetch_value(conn, HAS_SCHEMA):
        name = await fetch_value(conn, NAME)
        raise SchemaBehind(
            f"The database {name} ({address.source}) does not contain Holdfast's tables yet.",
            f"run this once: {migrate_command(address)}",
        )
    else:
        await _refuse_development(conn)


async def require_schema(conn: Connection, address: Address) -> None:
    """Raise SchemaBehind, with the command to run, unless this program can do all of its work here."""
    try:
        await check_schema(conn)
    except SchemaBehind as exc:
        exc.hint = f"run: {migrate_command(address)}"
        raise


async def bring_up_to_date(conn: Connection) -> None:
    """For the embedded database."""
    async with naming_data_directory(conn):
        if await _is_stale(conn):
            sys.stderr.write("holdfast: upgrading the schema of the embedded database\n")
            await migrate(conn)
            await make_partitions(conn)


@asynccontextmanager
async def advice_for(conn: Connection, address: Address) -> AsyncIterator[None]:
    """Errors of a migration in the block say what to do with the database at this address."""
    if address.source is not Source.EMBEDDED:
        yield
        return
    async with naming_data_directory(conn):
        yield


def migrate_command(address: Address) -> str:
    """If the URL is in the program, the command needs it too; its password is not shown."""
    if address.source is not Source.GIVEN or address.url is None:
        return "holdfast migrate"
    plain, password = without_password(address.url)
    with_it = "" if password is None else " (with PGPASSWORD set)"
    return f"holdfast --database {shlex.quote(plain)} migrate{with_it}"


async def _refuse_development(conn: Connection) -> None:
    """A program that only enqueues learns it too, at its start."""
    with suppress(PermissionDenied):  # the first verb says which role the user needs
        checksum = await fetch_value(conn, CHECKSUM, INITIAL)
        if checksum is not None:
            refuse_development({INITIAL: checksum}, initial_migration())


async def _is_stale(conn: Connection) -> bool:
    """A newer program may share the data directory: this one can work with its schema."""
    try:
        return bool(await pending(conn))
    except SchemaAhead:
        return False
