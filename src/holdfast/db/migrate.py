"""Brings the schema up to date: numbered migrations for tables, then the set of functions, then grants.

Every step is one transaction under one advisory lock, so any number of processes may migrate at once, and one
that is killed leaves nothing half-done.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from time import monotonic
from typing import TypeVar

import asyncpg

from holdfast.db import install
from holdfast.db.connect import Connection
from holdfast.db.database_errors import translated
from holdfast.db.development_database import refuse_development
from holdfast.db.foreign_objects import refuse_foreign
from holdfast.db.locks import Holder, advisory_holder
from holdfast.db.schema_state import SchemaState, read_state, roles_exist
from holdfast.db.sql_files import Migration, SqlFiles, load_sql_files
from holdfast.model.error import SchemaAhead, SchemaBehind, SchemaDrifted, Timeout
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event

# Raise by one with every release that changes a function or view.
FUNCTION_SET = 1

LOCK_KEY = 0x686F6C6466617374  # "holdfast" in ASCII
OTHER_MIGRATION_WAIT = timedelta(minutes=2)
TOLD_AFTER = timedelta(seconds=1)
TABLE_LOCK_WAIT = timedelta(seconds=2)
TRIES = 30
PAUSE = timedelta(milliseconds=500)

# Names and quotes have the same meaning whatever the settings of the user or the database.
FIXED = "set local search_path = pg_catalog, pg_temp; set local standard_conforming_strings = on"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """What a migrate did.

    `roles` is false if Holdfast's roles are missing and this user may not create them: then only `owner`
    and superusers can use Holdfast.
    """

    applied: tuple[str, ...]
    functions_installed: bool
    version: int
    function_set: int
    roles: bool
    owner: str

    @property
    def changed(self) -> bool:
        return bool(self.applied) or self.functions_installed


async def migrate(
    conn: Connection, files: SqlFiles | None = None, function_set: int = FUNCTION_SET
) -> MigrationReport:
    """Upgrades the database; a database that is up to date is only read."""
    files = files or load_sql_files()
    applied: list[str] = []
    installed = False
    with translated():
        state = await _look(conn)
        if _missing(state, files, function_set):
            await _prepare(conn, files)
            applied = [m.label for m in files.migrations if await _apply(conn, files, m, function_set)]
            installed = await _install(conn, files, function_set)
            state = await _look(conn)
        return MigrationReport(
            tuple(applied),
            installed,
            state.migration,
            state.function_set,
            await roles_exist(conn),
            state.owner or "",
        )


async def schema_version(conn: Connection) -> SchemaState:
    """The state of the schema in the database."""
    with translated():
        return await read_state(conn)


async def pending(conn: Connection, files: SqlFiles | None = None) -> list[str]:
    """What a migrate would do, by name; empty if the database is up to date."""
    with translated():
        return _missing(await _look(conn), files or load_sql_files(), FUNCTION_SET)


async def check_schema(conn: Connection) -> None:
    """Raise SchemaMismatch unless this program can work with the database; a newer one is fine."""
    with translated():
        state = await read_state(conn)
    migrations = load_sql_files().migrations
    refuse_development(state.checksums, migrations[0])
    if state.owner is None:
        raise SchemaBehind("The database does not contain Holdfast's tables yet.")
    if state.migration < migrations[-1].version or state.function_set < FUNCTION_SET:
        raise SchemaBehind("The database's schema is too old for this program.")


async def _look(conn: Connection) -> SchemaState:
    """The state of the schema, if it is Holdfast's own; reading from another's could run its code."""
    async with conn.transaction(readonly=True):
        await conn.execute(FIXED)
        await refuse_foreign(conn)
        return await read_state(conn)


def _missing(state: SchemaState, files: SqlFiles, function_set: int) -> list[str]:
    _refuse_others(state, files, function_set)
    missing = [migration.label for migration in files.migrations if migration.version not in state.checksums]
    if missing or (state.function_set, state.function_hash) != (function_set, files.hash):
        missing.append("functions")
    return missing


def _refuse_others(state: SchemaState, files: SqlFiles, function_set: int) -> None:
    """A database of a development version first: its numbers may be those of a newer release."""
    refuse_development(state.checksums, files.migrations[0])
    if state.function_set > function_set:
        raise SchemaAhead(
            f"The database has function set {state.function_set}, but this program knows only function sets "
            f"up to {function_set}."
        )
    ours = {migration.version: migration for migration in files.migrations}
    for version, checksum in state.checksums.items():
        if version not in ours:
            raise SchemaAhead(f"The database has migration {version:04}, which this program does not know.")
        if ours[version].checksum != checksum:
            raise SchemaDrifted(
                f"Migration {ours[version].label} in this program differs from the migration that the "
                "database has applied.",
                migration=version,
            )


async def _prepare(conn: Connection, files: SqlFiles) -> None:
    """Creates the roles in a separate transaction, so that the rest works even if this user may not."""
    await _retried(conn, lambda: conn.execute(files.roles))
    await _retried(conn, lambda: install.create_schema(conn, files))


async def _apply(conn: Connection, files: SqlFiles, migration: Migration, function_set: int) -> bool:
    async def step() -> bool:
        state = await read_state(conn)  # another process may have migrated while this one waited for the lock
        if migration.label not in _missing(state, files, function_set):
            return False
        await install.apply_migration(conn, migration)
        return True

    done = await _retried(conn, step)
    if done:
        emit(Event.MIGRATION_APPLIED, migration=migration.label)
    return done


async def _install(conn: Connection, files: SqlFiles, function_set: int) -> bool:
    try:
        return await _retried(conn, lambda: _install_once(conn, files, function_set, anew=False))
    except (asyncpg.InvalidFunctionDefinitionError, asyncpg.InvalidTableDefinitionError):
        # A result type or a view's columns changed, which `create or replace` cannot do.
        return await _retried(conn, lambda: _install_once(conn, files, function_set, anew=True))


async def _install_once(conn: Connection, files: SqlFiles, function_set: int, *, anew: bool) -> bool:
    if not _missing(await read_state(conn), files, function_set):
        return False
    await install.install_functions(conn, files, function_set, anew=anew)
    emit(Event.FUNCTIONS_INSTALLED, version=function_set, files=len(files.functions))
    return True


async def _retried(conn: Connection, step: Callable[[], Awaitable[T]]) -> T:
    """Runs `step` in a transaction under the lock, with retries while other transactions hold its locks.

    It gives up after two seconds, because every later statement queues behind a waiting table lock.
    """
    for _ in range(TRIES):
        try:
            async with _locked(conn):
                return await step()
        except asyncpg.PostgresError as exc:
            if not _will_pass(exc):
                raise
            emit(Event.MIGRATION_WAITED, because=exc)
            await asyncio.sleep(PAUSE.total_seconds())
    raise Timeout(
        f"The migration could not lock the tables in {TRIES} tries.",
        "look for long transactions in pg_stat_activity and end them, then run 'holdfast migrate' again",
    )


def _will_pass(exc: asyncpg.PostgresError) -> bool:
    """True if the step can succeed when it is tried again: another transaction held a lock, or another
    database of the server granted the same role at the same moment, which is an internal error once.
    """
    if isinstance(exc, asyncpg.LockNotAvailableError | asyncpg.DeadlockDetectedError):
        return True
    return isinstance(exc, asyncpg.InternalServerError) and "concurrently" in str(exc)


@asynccontextmanager
async def _locked(conn: Connection) -> AsyncIterator[None]:
    async with conn.transaction():
        await _take_lock(conn)
        await conn.execute(f"set local lock_timeout = {_milliseconds(TABLE_LOCK_WAIT)}; {FIXED}")
        await refuse_foreign(conn)  # it may have appeared since the first check
        yield


async def _take_lock(conn: Connection) -> None:
    """Any login can take this lock, so a holder is named after a second."""
    given_up_at = monotonic() + OTHER_MIGRATION_WAIT.total_seconds()
    told: Holder | None = None
    await conn.execute(f"set local lock_timeout = {_milliseconds(TOLD_AFTER)}")
    while True:
        try:
            async with conn.transaction():
                await conn.execute(f"select pg_advisory_xact_lock({LOCK_KEY})")
                return
        except asyncpg.LockNotAvailableError as exc:
            holder = await advisory_holder(conn, LOCK_KEY)
            if holder is not None and holder != told:
                told = holder
                emit(Event.MIGRATION_WAITED, because=f"{holder} holds the migration lock")
            if monotonic() > given_up_at:
                raise Timeout(
                    f"{told or 'Another session'} has held the migration lock for two minutes.",
                    "if that session runs a migration, wait until it ends and run 'holdfast migrate' again; "
                    "otherwise terminate that session",
                ) from exc


def _milliseconds(wait: timedelta) -> int:
    return int(wait.total_seconds() * 1000)
