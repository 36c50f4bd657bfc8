"""Brings the schema up to date: numbered migrations for tables, then the set of functions, then grants.

Every step is one transaction under one advisory lock, so any number of processes may migrate at once, and one
that is killed leaves nothing half-done.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from time import monotonic
from typing import TypeVar

import asyncpg

from holdfast.db import install
from holdfast.db.connect import Connection
from holdfast.db.errors import translated
from holdfast.db.foreign import refuse_foreign
from holdfast.db.locks import Holder, advisory_holder
from holdfast.db.schema_state import SchemaState, read_state, roles_exist
from holdfast.db.sql_files import Migration, SqlFiles, load_sql_files
from holdfast.model.error import SchemaAhead, SchemaBehind, SchemaDrifted, Timeout
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event import Event

# Raise by one with every release that changes a function or view.
FUNCTION_SET = 6

LOCK_KEY = 0x686F6C6466617374  # "holdfast" in ASCII
OTHER_MIGRATION_WAIT = timedelta(minutes=2)
TOLD_AFTER = timedelta(seconds=1)
TABLE_LOCK_WAIT = timedelta(seconds=2)
TRIES = 30
PAUSE = timedelta(milliseconds=500)

# Names and quotes mean what they mean to us, whatever the settings of the user or the database are.
FIXED = "set local search_path = pg_catalog, pg_temp; set local standard_conforming_strings = on"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """What a migrate did.

    `roles` is false where Holdfast's roles are missing and this user may not create them: then only `owner`,
    to whom everything belongs, and superusers can use Holdfast.
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
    """Bring the database up to date; a database that is so already is only read."""
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
    """What the database holds."""
    with translated():
        return await read_state(conn)


async def pending(conn: Connection, files: SqlFiles | None = None) -> list[str]:
    """What a migrate would do, by name; empty if the database is up to date."""
    with translated():
        return _missing(await _look(conn), files or load_sql_files(), FUNCTION_SET)


async def check_schema(conn: Connection) -> None:
    """Raise SchemaBehind unless this program can work with the database; a newer one is fine."""
    with translated():
        state = await read_state(conn)
    newest = max((migration.version for migration in load_sql_files().migrations), default=0)
    if state.owner is None:
        raise SchemaBehind("The database has no tables of Holdfast yet.")
    if state.migration < newest or state.function_set < FUNCTION_SET:
        raise SchemaBehind("The database's schema is older than this program needs.")


async def _look(conn: Connection) -> SchemaState:
    """What the database holds, if it is ours; reading from what is not could run its code."""
    async with conn.transaction(readonly=True):
        await conn.execute(FIXED)
        await refuse_foreign(conn)
        return await read_state(conn)


def _missing(state: SchemaState, files: SqlFiles, function_set: int) -> list[str]:
    _refuse_newer(state, files, function_set)
    missing = [migration.label for migration in files.migrations if migration.version not in state.checksums]
    if missing or (state.function_set, state.function_hash) != (function_set, files.hash):
        missing.append("functions")
    return missing


def _refuse_newer(state: SchemaState, files: SqlFiles, function_set: int) -> None:
    if state.function_set > function_set:
        raise SchemaAhead(
            f"The database has function set {state.function_set}, this program brings only {function_set}."
        )
    ours = {migration.version: migration for migration in files.migrations}
    for version, checksum in state.checksums.items():
        if version not in ours:
            raise SchemaAhead(f"The database has migration {version:04}, which this program does not know.")
        if ours[version].checksum != checksum:
            raise SchemaDrifted(f"Migration {ours[version].label} was changed after it was applied here.")


async def _prepare(conn: Connection, files: SqlFiles) -> None:
    """Roles in a transaction of their own: where they cannot be made, the rest still can."""
    await _retried(conn, lambda: conn.execute(files.roles))
    await _retried(conn, lambda: install.create_schema(conn, files))


async def _apply(conn: Connection, files: SqlFiles, migration: Migration, function_set: int) -> bool:
    async def step() -> bool:
        state = await read_state(conn)  # another process may have done it while we waited for the lock
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
    """Run `step` in a transaction under the lock, again and again while others hold what it needs.

    It gives way after two seconds: everything that comes after a waiting table lock queues behind it.
    """
    for _ in range(TRIES):
        try:
            async with _locked(conn):
                return await step()
        except asyncpg.PostgresError as exc:
            if not _will_pass(exc):
                raise
            emit(Event.MIGRATION_WAITED, logging.WARNING, because=exc)
            await asyncio.sleep(PAUSE.total_seconds())
    raise Timeout(
        f"The migration could not get its locks in {TRIES} tries.",
        "look for long transactions in pg_stat_activity, then run holdfast migrate again",
    )


def _will_pass(exc: asyncpg.PostgresError) -> bool:
    """Locks are let go; two databases that grant a role of the server at once get an internal error, once."""
    if isinstance(exc, asyncpg.LockNotAvailableError | asyncpg.DeadlockDetectedError):
        return True
    return isinstance(exc, asyncpg.InternalServerError) and "concurrently" in str(exc)


@asynccontextmanager
async def _locked(conn: Connection) -> AsyncIterator[None]:
    async with conn.transaction():
        await _take_lock(conn)
        await conn.execute(f"set local lock_timeout = {_milliseconds(TABLE_LOCK_WAIT)}; {FIXED}")
        await refuse_foreign(conn)  # it may have come since the first look
        yield


async def _take_lock(conn: Connection) -> None:
    """Any login may take it, so whoever has it for longer than a second is named."""
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
                emit(Event.MIGRATION_WAITED, logging.WARNING, because=f"{holder} has the migrations' lock")
            if monotonic() > given_up_at:
                raise Timeout(
                    f"Another migration has been running for two minutes, in {told}.",
                    "wait for it, then run holdfast migrate again; if it is none, end that process",
                ) from exc


def _milliseconds(wait: timedelta) -> int:
    return int(wait.total_seconds() * 1000)
