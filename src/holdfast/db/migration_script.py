"""The statements of a migration as a script, to read or to run with psql."""

from collections.abc import Iterator

from holdfast.db import install
from holdfast.db.connect import Connection
from holdfast.db.migrate import FIXED, FUNCTION_SET, LOCK_KEY, pending, schema_version
from holdfast.db.schema_state import SchemaState
from holdfast.db.sql_files import Migration, SqlFiles, load_sql_files

CREATE_SCHEMA = "create schema if not exists holdfast authorization {owner};"
RECORD_MIGRATION = (
    "insert into holdfast.migrations (version, name, checksum) values ({version}, '{name}', '{checksum}');"
)
# Only executing it shows whether columns changed, so the script says what would happen.
FUNCTIONS = """\
-- If a view cannot be replaced because its columns changed, migrate drops views and functions first.
set local check_function_bodies = off;"""
DROP_STALE = f"""
do $stale$
declare
  stale text;
begin
  for stale in {install.STALE_FUNCTIONS} loop
    execute 'drop ' || stale;
  end loop;
end
$stale$;"""


async def migration_script(conn: Connection) -> str:
    """Each step is a transaction. Empty if the database is up to date."""
    missing, state = await pending(conn), await schema_version(conn)
    return "\n".join(_steps(state, load_sql_files())) if missing else ""


def _steps(state: SchemaState, files: SqlFiles) -> Iterator[str]:
    owner = install.quoted(state.owner or install.OWNER)
    yield from _step("roles", files.roles)
    if state.owner is None:
        yield from _step("schema", CREATE_SCHEMA.format(owner=owner))
    yield from _step("bootstrap", f"set local role {owner};", files.bootstrap)
    for migration in files.migrations:
        if migration.version not in state.checksums:
            yield from _step(migration.label, f"set local role {owner};", migration.text, _record(migration))
    yield from _step("functions", f"set local role {owner};", FUNCTIONS, *_functions(files))


def _functions(files: SqlFiles) -> Iterator[str]:
    for file in files.functions:
        yield f"\n-- {file.name}\n{file.text.rstrip()}"
    yield from (DROP_STALE, files.headers, files.grants)
    record = install.RECORD_FUNCTIONS.replace("$1", str(FUNCTION_SET)).replace("$2", f"'{files.hash}'")
    yield f"{record.strip()};"


def _record(migration: Migration) -> str:
    return RECORD_MIGRATION.format(
        version=migration.version, name=migration.name, checksum=migration.checksum
    )


def _step(name: str, *statements: str) -> Iterator[str]:
    """Under the lock of migrate, so that the two cannot run at the same time."""
    yield f"-- Step: {name}\nbegin;\nselect pg_advisory_xact_lock({LOCK_KEY});\n{FIXED};"
    yield from statements
    yield "commit;\n"
