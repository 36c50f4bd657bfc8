"""What tables and functions must look like, whatever else changes."""

from asyncpg import Record

from holdfast.db.connect import Connection

# Those that give back rows of a view give columns: a driver sees no type of ours.
FOREIGN_TYPES = """
select distinct format('%s takes or gives %s', p.oid::regprocedure, format_type(t.oid, null))
from pg_proc as p
cross join lateral aclexplode(p.proacl) as a
cross join lateral unnest(
  coalesce(p.proallargtypes, p.proargtypes::oid[]) || case when not p.proretset then p.prorettype end
) as used (oid)
join pg_type as t on t.oid = used.oid
where p.pronamespace = 'holdfast'::regnamespace
  and a.grantee <> p.proowner
  and (t.typnamespace <> 'pg_catalog'::regnamespace or t.typtype not in ('b', 'p'))
"""
FOREIGN_KEYS = """
select conname
from pg_constraint
where connamespace = 'holdfast'::regnamespace
  and contype = 'f'
"""


async def test_verbs_speak_built_in_types_only(conn: Connection) -> None:
    assert texts(await conn.fetch(FOREIGN_TYPES)) == []
    await conn.execute("create type holdfast.mood as enum ('good', 'bad')")
    await conn.execute("create function holdfast.feel(m holdfast.mood) returns void language sql as ''")
    await conn.execute("grant execute on function holdfast.feel to public")
    assert len(texts(await conn.fetch(FOREIGN_TYPES))) == 1, "a type of our own would be found"


async def test_no_table_has_a_foreign_key(conn: Connection) -> None:
    """Each would lock a row of the other table for every job, and stop pruning."""
    assert texts(await conn.fetch(FOREIGN_KEYS)) == []


async def test_the_clock_is_stable_and_real(conn: Connection) -> None:
    """Volatile, a condition on it would be a filter over all rows and not a place in an index."""
    kind, source = await clock_of(conn)
    assert kind == "s"
    assert "clock_timestamp()" in source


async def test_jobs_are_vacuumed_by_number_and_keep_their_pages(conn: Connection) -> None:
    """By share, vacuum would come later the longer the queue; truncation locks out claims."""
    options = await conn.fetchval("select reloptions from pg_class where oid = 'holdfast.jobs'::regclass")
    assert {"autovacuum_vacuum_scale_factor=0", "vacuum_truncate=off"} <= set(options)


async def clock_of(conn: Connection) -> tuple[str, str]:
    row = await conn.fetchrow(
        "select provolatile::text, prosrc from pg_proc where oid = 'holdfast.now'::regproc"
    )
    assert row is not None
    return row["provolatile"], row["prosrc"]


def texts(rows: list[Record]) -> list[str]:
    return [row[0] for row in rows]
