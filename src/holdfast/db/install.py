"""The steps of a migration; each runs in a transaction that `migrate` has opened under its lock."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import asyncpg

from holdfast.db.connect import Connection
from holdfast.db.sql_files import Migration, SqlFiles
from holdfast.model.error import PermissionDenied

OWNER = "holdfast_owner"
STATEMENT_LIMIT = timedelta(hours=1)  # building an index on a large table may take that long

SCHEMA_OWNER = """
select pg_get_userbyid(nspowner)
from pg_namespace
where nspname = 'holdfast'
"""

RECORD_MIGRATION = "insert into holdfast.migrations (version, name, checksum) values ($1, $2, $3)"

RECORD_FUNCTIONS = """
insert into holdfast.function_set (version, hash)
values ($1, $2)
on conflict (only_row) do update
set version = excluded.version,
    hash = excluded.hash,
    installed_at = clock_timestamp()
"""

# create or replace rewrites the row, so a row that this transaction did not write is not in the set.
STALE_FUNCTIONS = """
select format('%s %s', case prokind when 'p' then 'procedure' else 'function' end, oid::regprocedure)
from pg_proc
where pronamespace = 'holdfast'::regnamespace
  and xmin <> pg_current_xact_id()::xid
"""

FUNCTIONS_OVER_VIEWS = """
select distinct format('function %s', f.oid::regprocedure)
from pg_class v
join pg_depend d on d.refobjid in (v.oid, v.reltype)
join pg_proc f on d.classid = 'pg_proc'::regclass and f.oid = d.objid
where v.relnamespace = 'holdfast'::regnamespace
  and f.pronamespace = 'holdfast'::regnamespace
  and v.relkind = 'v'
"""

VIEWS = """
select string_agg(oid::regclass::text, ', ')
from pg_class
where relnamespace = 'holdfast'::regnamespace
  and relkind = 'v'
"""

# Defaults, triggers and constraints of tables hold on to theirs.
FREE_FUNCTIONS = """
select string_agg(oid::regprocedure::text, ', ')
from pg_proc f
where pronamespace = 'holdfast'::regnamespace
  and not exists (
    select from pg_depend d
    where d.refclassid = 'pg_proc'::regclass
      and d.refobjid = f.oid
      and d.classid <> 'pg_proc'::regclass
  )
"""


async def create_schema(conn: Connection, files: SqlFiles) -> None:
    if await conn.fetchval(SCHEMA_OWNER) is None:
        owner = OWNER if await _may_become(conn, OWNER) else await conn.fetchval("select current_user")
        await conn.execute(f"create schema holdfast authorization {quoted(owner)}")
    await _become_owner(conn)
    await conn.execute("comment on schema holdfast is 'Holdfast: a durable job queue. Call its functions.'")
    await conn.execute(files.bootstrap)


async def apply_migration(conn: Connection, migration: Migration) -> None:
    await _become_owner(conn)
    with _naming(migration.label):
        await conn.execute(migration.text, timeout=STATEMENT_LIMIT.total_seconds())
    await conn.execute(RECORD_MIGRATION, migration.version, migration.name, migration.checksum)


async def install_functions(conn: Connection, files: SqlFiles, version: int, *, anew: bool) -> None:
    """Replace the whole set. `anew` drops the old one first, where a result or a view's columns changed."""
    await _become_owner(conn)
    if anew:
        await _drop_functions(conn)
    # A body may call a function that comes later.
    await conn.execute("set local check_function_bodies = off")
    for file in files.functions:
        with _naming(file.name):
            await conn.execute(file.text, timeout=STATEMENT_LIMIT.total_seconds())
    for stale in await conn.fetch(STALE_FUNCTIONS):
        await conn.execute(f"drop {stale[0]}")
    with _naming("headers"):
        await conn.execute(files.headers)
    with _naming("grants.sql"):
        await conn.execute(files.grants)
    await conn.execute(RECORD_FUNCTIONS, version, files.hash)


async def _drop_functions(conn: Connection) -> None:
    for reader in await conn.fetch(FUNCTIONS_OVER_VIEWS):
        await conn.execute(f"drop {reader[0]}")
    views = await conn.fetchval(VIEWS)
    if views:
        await conn.execute(f"drop view {views}")
    functions = await conn.fetchval(FREE_FUNCTIONS)
    if functions:
        await conn.execute(f"drop routine {functions}")


async def _become_owner(conn: Connection) -> None:
    """The owner of the schema creates everything, also if another user runs the migration."""
    owner = await conn.fetchval(SCHEMA_OWNER)
    if not await _may_become(conn, owner):
        raise PermissionDenied(
            f"The schema holdfast belongs to the role {owner}, and the current user is not a member of that "
            "role.",
            f"run 'holdfast migrate' as a member of {owner}, or as a superuser",
        )
    await conn.execute(f"set local role {quoted(owner)}")


async def _may_become(conn: Connection, role: str) -> bool:
    """Tried out: which right is needed differs between versions of PostgreSQL."""
    before = await conn.fetchval("select current_setting('role')")  # `reset role` would be the login's
    try:
        async with conn.transaction():
            await conn.execute(f"set local role {quoted(role)}")
            await conn.execute("select set_config('role', $1, true)", before)
    except (asyncpg.InsufficientPrivilegeError, asyncpg.InvalidParameterValueError):
        return False
    return True


@contextmanager
def _naming(file: str) -> Iterator[None]:
    """An error in a file says in which one."""
    try:
        yield
    except asyncpg.PostgresError as exc:
        exc.message = f"{file}: {exc.message}"
        raise


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
