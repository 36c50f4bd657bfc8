"""The table of another queue, read as a mapping says: in one snapshot, which can change nothing.

The condition `pending` is the operator's own SQL and runs with the rights of the connection.
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import asyncpg

from holdfast.db.connect import Connection, Database
from holdfast.db.database_errors import translate
from holdfast.model.error import NotFound, PermissionDenied
from holdfast.model.import_mapping import ImportMapping, Value

TABLE = """
select format('%I.%I', n.nspname, c.relname), n.nspname || '.' || c.relname, current_database()
from pg_class as c
join pg_namespace as n on n.oid = c.relnamespace
where c.oid = to_regclass($1::text)
"""
COLUMNS = """
select a.attname, format_type(a.atttypid, null)
from pg_attribute as a
where a.attrelid = to_regclass($1::text) and a.attnum > 0 and not a.attisdropped
order by a.attnum
"""
# A large table is counted and sorted before its first row comes.
PATIENCE = timedelta(hours=1).total_seconds()
PAGE = 1000

WITH_ZONE = "timestamp with time zone"
WITHOUT_ZONE = "timestamp without time zone"


@dataclass(frozen=True, slots=True)
class LegacyRow:
    """`payload`: the text of the payload's one column. `values`: the other columns as JSON, by name."""

    id: str | None
    payload: str | None
    values: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class LegacyTable:
    """`name` is for people, `quoted` for statements. `database`: the name of the one that has it."""

    name: str
    quoted: str
    database: str
    columns: Mapping[str, str]
    connection: Connection

    async def count(self, mapping: ImportMapping) -> int:
        with _explained(mapping, "pending"):
            found = await self.connection.fetchval(
                f"select count(*) from {self._pending(mapping)}", timeout=PATIENCE
            )
        return int(found)

    async def rows(self, mapping: ImportMapping) -> AsyncIterator[list[LegacyRow]]:
        """Page by page, the oldest row first."""
        names = sorted(mapping.value_columns)
        query, arguments = self._query(mapping, names)
        for zone in arguments:
            with _explained(mapping, "run_at"):
                await self.connection.fetchval("select now() at time zone $1::text", zone)
        with _explained(mapping, "pending"):
            cursor = await self.connection.cursor(query, *arguments, timeout=PATIENCE)
            while found := await cursor.fetch(PAGE, timeout=PATIENCE):
                yield [LegacyRow(row[0], row[1], dict(zip(names, row[2:], strict=True))) for row in found]

    def _query(self, mapping: ImportMapping, names: Sequence[str]) -> tuple[str, list[str]]:
        due, order = mapping.options.get("run_at", Value()), _quoted(mapping.order or mapping.id)
        with_zone = due.column if due.zone else None
        read = [
            f"{_quoted(mapping.id)}::text",
            f"{_quoted(mapping.payload)}::text" if isinstance(mapping.payload, str) else "null",
            *(_value(name, name == with_zone) for name in names),
        ]
        query = f"select {', '.join(read)} from {self._pending(mapping)} order by {order}"
        return query, [due.zone] if due.zone else []

    def _pending(self, mapping: ImportMapping) -> str:
        """On a line of its own, so that a comment in the condition ends."""
        return f"{self.quoted} where ({mapping.pending}\n)"


@asynccontextmanager
async def open_table(source: Database, table: str) -> AsyncIterator[LegacyTable]:
    """The table as one snapshot sees it, as long as the block lasts."""
    async with source.snapshot() as connection:
        found = await _look(connection, TABLE, table)
        if not found:
            raise NotFound(
                f"The database has no table {table!r}.",
                "write its name as in SQL, such as public.alert_queue; leave out the schema only if the table"
                " is in the search path",
            )
        columns = {row[0]: row[1] for row in await _look(connection, COLUMNS, table)}
        quoted, name, database = found[0]
        yield LegacyTable(name, quoted, database, columns, connection)


async def _look(connection: Connection, query: str, table: str) -> list[Any]:
    try:
        return await connection.fetch(query, table)
    except asyncpg.PostgresError as exc:
        raise NotFound(
            f"{table!r} is not the name of a table: {exc}.", "write it as public.alert_queue"
        ) from exc


@contextmanager
def _explained(mapping: ImportMapping, key: str) -> Iterator[None]:
    """What PostgreSQL says of the operator's own words is an error in the mapping."""
    try:
        yield
    except asyncpg.InsufficientPrivilegeError as exc:
        raise PermissionDenied(
            f"The database says: {exc}.", "grant select on the table to the user of this connection"
        ) from exc
    except asyncpg.PostgresError as exc:
        if str(exc.sqlstate)[:2] in ("22", "25", "42"):
            raise mapping.error(
                key,
                f"PostgreSQL refuses {key} of the mapping: {exc}.",
                f"correct the SQL of {key} in the mapping file; you can run the SQL in psql",
            ) from exc
        raise translate(exc) from exc


def _value(column: str, has_zone: bool) -> str:
    """As JSON, in which a time is the same with any setting of the session."""
    return f"to_json({_quoted(column)}{' at time zone $1::text' if has_zone else ''})::text"


def _quoted(name: str) -> str:
    """As an identifier."""
    return '"{}"'.format(name.replace('"', '""'))
