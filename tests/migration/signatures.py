"""What programs of other versions rely on: the verbs that they may call, and the columns that they may read.

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
VERBS = """
select distinct format('%s(%s) returns %s',
  p.proname, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid))
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
  and c.relkind = 'v'
  and granted.grantee <> c.relowner
"""


async def signatures(conn: Connection) -> set[str]:
    return {row[0] for query in (VERBS, COLUMNS) for row in await conn.fetch(query)}


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
