"""The verbs that roles may call, by their arguments, and a call of each with one argument given."""

from dataclasses import dataclass

import asyncpg

from holdfast.db.connect import Connection

VERBS = """
select p.proname, p.proargnames[1:p.pronargs] as names, array(
  select format_type(t.type, null)
  from unnest(p.proargtypes::oid[]) with ordinality as t (type, place)
  order by place
) as types
from pg_proc as p
where p.pronamespace = 'holdfast'::regnamespace
  and p.prosecdef
  and p.pronargs > 0
order by p.proname
"""
# Something for each argument that is not looked at.
ANYTHING = {
    "uuid": "gen_random_uuid()",
    "uuid[]": "array[gen_random_uuid()]",
    "text": "'x'",
    "text[]": "array['x']",
    "json": "'{}'",
    "json[]": "array['{}']::json[]",
    "jsonb": "'{}'",
    "jsonb[]": "array['{}']::jsonb[]",
    "integer": "1",
    "bigint": "1",
    "date": "current_date",
    "integer[]": "array[1]",
    "interval": "'1 minute'",
    "double precision": "1",
    "double precision[]": "array[1]",
    "timestamp with time zone": "holdfast.now()",
    "timestamp with time zone[]": "array[holdfast.now()]",
    "boolean": "false",
    "bytea": "sha256('x')",
}


@dataclass(frozen=True, slots=True)
class Argument:
    verb: str
    name: str
    names: tuple[str, ...]
    types: tuple[str, ...]


async def verbs_with(conn: Connection, of_type: str, names: set[str] | None) -> list[Argument]:
    """Each argument of that type; None: whatever its name."""
    return [
        Argument(row["proname"], name, tuple(row["names"]), tuple(row["types"]))
        for row in await conn.fetch(VERBS)
        for name, its in zip(row["names"], row["types"], strict=True)
        if its == of_type and (names is None or name in names)
    ]


async def call_with(conn: Connection, argument: Argument, value: str) -> tuple[str, str] | None:
    """SQLSTATE and message of the error, or None if there is none."""
    given = ", ".join(
        f"{value}::{of_type}" if name == argument.name else f"{ANYTHING[of_type]}::{of_type}"
        for name, of_type in zip(argument.names, argument.types, strict=True)
    )
    trial = conn.transaction()
    await trial.start()
    try:
        await conn.execute(f"select * from holdfast.{argument.verb}({given})")
    except asyncpg.PostgresError as exc:
        return exc.sqlstate or "", str(exc)
    finally:
        await trial.rollback()
    return None
