"""Checks that a database fits this program before its first use."""

import shlex
import sys

from holdfast.db.address import Address, Source, without_password
from holdfast.db.connect import Connection
from holdfast.db.maintenance import make_partitions
from holdfast.db.migrate import check_schema, migrate, pending
from holdfast.db.statement import fetch_value
from holdfast.model.error import SchemaAhead, SchemaBehind

HAS_SCHEMA = "select to_regnamespace('holdfast') is not null"
NAME = "select current_database()"


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


async def require_schema(conn: Connection, address: Address) -> None:
    """Raise SchemaBehind, with the command to run, unless this program can do all of its work here."""
    try:
        await check_schema(conn)
    except SchemaBehind as exc:
        exc.hint = f"run: {migrate_command(address)}"
        raise


async def bring_up_to_date(conn: Connection) -> None:
    if await _is_stale(conn):
        sys.stderr.write("holdfast: upgrading the schema of the embedded database\n")
        await migrate(conn)
        await make_partitions(conn)


def migrate_command(address: Address) -> str:
    """If the URL is in the program, the command needs it too; its password is not shown."""
    if address.source is not Source.GIVEN or address.url is None:
        return "holdfast migrate"
    plain, password = without_password(address.url)
    with_it = "" if password is None else " (with PGPASSWORD set)"
    return f"holdfast --database {shlex.quote(plain)} migrate{with_it}"


async def _is_stale(conn: Connection) -> bool:
    """A newer program may share the data directory: this one can work with its schema."""
    try:
        return bool(await pending(conn))
    except SchemaAhead:
        return False
