"""Everything in the schema says what it is."""

import asyncpg
from asyncpg import Record

TABLES_AND_VIEWS = """
select relname
from pg_class c
where relnamespace = 'holdfast'::regnamespace
  and relkind in ('r', 'p', 'v')
  and not (relispartition and relname ~ '^history_\\d')
  and obj_description(c.oid, 'pg_class') is null
"""

COLUMNS = """
select format('%s.%s', relname, attname)
from pg_attribute a
join pg_class c on c.oid = a.attrelid
where relnamespace = 'holdfast'::regnamespace
  and relkind in ('r', 'p')
  and not relispartition
  and attnum > 0
  and not attisdropped
  and col_description(c.oid, attnum) is null
"""

FUNCTIONS = """
select oid::regprocedure::text
from pg_proc p
where pronamespace = 'holdfast'::regnamespace
  and obj_description(p.oid, 'pg_proc') is null
"""


async def without_comment(conn: "asyncpg.Connection[Record]", query: str) -> list[str]:
    return sorted(row[0] for row in await conn.fetch(query))


async def test_every_table_and_view_has_a_comment(conn: "asyncpg.Connection[Record]") -> None:
    assert await without_comment(conn, TABLES_AND_VIEWS) == []


async def test_every_column_has_a_comment(conn: "asyncpg.Connection[Record]") -> None:
    assert await without_comment(conn, COLUMNS) == []


async def test_every_function_has_a_comment(conn: "asyncpg.Connection[Record]") -> None:
    assert await without_comment(conn, FUNCTIONS) == []


async def test_a_missing_comment_would_be_found(conn: "asyncpg.Connection[Record]") -> None:
    await conn.execute("create table holdfast.planted (n int)")
    await conn.execute("create function holdfast.planted() returns int language sql as 'select 1'")
    assert await without_comment(conn, TABLES_AND_VIEWS) == ["planted"]
    assert await without_comment(conn, COLUMNS) == ["planted.n"]
    assert await without_comment(conn, FUNCTIONS) in (["planted()"], ["holdfast.planted()"])
