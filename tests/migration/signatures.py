"""The list of public verbs, frozen with 0.1.0: what programs of other versions and users' own SQL rely on.

For each function that a role may call: its arguments with their names and defaults, its result with its
columns, and the roles. For each view and table that a role may read: its columns with their types, and the
roles.
`python -m tests.migration.signatures` writes the file anew after something was added.
"""

import asyncio
from pathlib import Path

import asyncpg

from holdfast.db.connect import Connection
from holdfast.db.migrate import migrate
from holdfast.testing.server import find_server
from tests.database import fresh_database

FILE = Path(__file__).parent / "signatures.txt"
# Names of types must not depend on the session.
FIXED = "set local search_path = pg_catalog"
VERBS = """
select distinct format('%s(%s) returns %s',
  p.proname, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid))
from pg_proc as p
cross join lateral aclexplode(p.proacl) as a
where p.pronamespace = 'holdfast'::regnamespace
  and a.grantee <> p.proowner
"""
CALLERS = """
select distinct format('%s for %s', p.proname, replace(a.grantee::regrole::text, 'holdfast_', ''))
from pg_proc as p
cross join lateral aclexplode(p.proacl) as a
where p.pronamespace = 'holdfast'::regnamespace
  and a.grantee <> p.proowner
"""
COLUMNS = """
select distinct format('%s.%s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod))
from pg_class as c
cross join lateral aclexplode(c.relacl) as granted
join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relnamespace = 'holdfast'::regnamespace
  and granted.grantee <> c.relowner
"""
READERS = """
select distinct format('%s for %s', c.relname, replace(granted.grantee::regrole::text, 'holdfast_', ''))
from pg_class as c
cross join lateral aclexplode(c.relacl) as granted
where c.relnamespace = 'holdfast'::regnamespace
  and granted.grantee <> c.relowner
"""


async def signatures(conn: Connection) -> set[str]:
    async with conn.transaction():
        await conn.execute(FIXED)
        return {row[0] for query in (VERBS, CALLERS, COLUMNS, READERS) for row in await conn.fetch(query)}


def recorded() -> set[str]:
    return set(FILE.read_text().splitlines())


async def main() -> None:
    async with fresh_database(find_server()) as url:
        conn = await asyncpg.connect(url)
        await migrate(conn)
        FILE.write_text("".join(f"{line}\n" for line in sorted(await signatures(conn))))
        await conn.close()


if __name__ == "__main__":
    asyncio.run(main())
