"""Refuses databases that a development version made, before 0.1.0: there are no migrations from them."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from holdfast.db.connect import Connection
from holdfast.db.sql_files import INITIAL, Migration
from holdfast.db.statement import fetch_value
from holdfast.model.error import SchemaDrifted

# The embedded server keeps its cluster in a folder of the data directory.
CLUSTER = "select current_setting('data_directory')"

NEW_DATABASE = "create a new database for this version, and run 'holdfast migrate' there"
NEW_DIRECTORY = (
    "stop the programs that use it, then move or remove its data directory {directory}; the next program "
    "creates a new database"
)


def refuse_development(checksums: Mapping[int, str], initial: Migration) -> None:
    """Raise SchemaDrifted if the database was made by another first migration than that of the releases.

    `checksums` are those of the migrations that the database has applied, by number.
    """
    if checksums.get(INITIAL, initial.checksum) != initial.checksum:
        raise SchemaDrifted(
            "This database was made by a development version of Holdfast, before 0.1.0, and cannot be "
            f"upgraded: its migration {initial.label} differs from this program's. Nothing was changed.",
            NEW_DATABASE,
            migration=INITIAL,
        )


@asynccontextmanager
async def naming_data_directory(conn: Connection) -> AsyncIterator[None]:
    """For the embedded database: the hint of `refuse_development` names the directory to remove."""
    try:
        yield
    except SchemaDrifted as exc:
        if exc.migration == INITIAL:
            directory = Path(await fetch_value(conn, CLUSTER)).parent
            exc.hint = NEW_DIRECTORY.format(directory=directory)
        raise
