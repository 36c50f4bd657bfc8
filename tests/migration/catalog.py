"""What a schema looks like, as lines that two databases can be compared by."""

import asyncpg
from asyncpg import Record

COLUMNS = """
select format('column %s.%s %s not null %s default %s generated %s%s',
  c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
  coalesce(pg_get_expr(d.adbin, d.adrelid), '-'), a.attidentity, a.attgenerated)
from pg_attribute a
join pg_class c on c.oid = a.attrelid
left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
where c.relnamespace = 'holdfast'::regnamespace
  and c.relkind in ('r', 'p')
  and a.attnum > 0
  and not a.attisdropped
"""

RELATIONS = """
select format('relation %s %s %s partition %s of %s', c.relname, c.relkind,
  array(select o from unnest(c.reloptions) as o order by o),
  pg_get_expr(c.relpartbound, c.oid), i.inhparent::regclass)
from pg_class c
left join pg_inherits i on i.inhrelid = c.oid
where c.relnamespace = 'holdfast'::regnamespace
  and c.relkind in ('r', 'p', 'S')
"""

CONSTRAINTS = """
select format('constraint %s on %s: %s', conname, conrelid::regclass, pg_get_constraintdef(oid))
from pg_constraint
where connamespace = 'holdfast'::regnamespace
"""

INDEXES = """
select format('index %s', indexdef)
from pg_indexes
where schemaname = 'holdfast'
"""

TRIGGERS = """
select format('trigger %s', pg_get_triggerdef(t.oid))
from pg_trigger t
join pg_class c on c.oid = t.tgrelid
where c.relnamespace = 'holdfast'::regnamespace
  and not t.tgisinternal
"""

COMMENTS = """
select format('comment on %s.%s: %s', c.relname, a.attname, d.description)
from pg_description d
join pg_class c on d.classoid = 'pg_class'::regclass and c.oid = d.objoid
left join pg_attribute a on a.attrelid = c.oid and a.attnum = d.objsubid and d.objsubid > 0
where c.relnamespace = 'holdfast'::regnamespace
  and c.relkind in ('r', 'p')
"""

ALL = (COLUMNS, RELATIONS, CONSTRAINTS, INDEXES, TRIGGERS, COMMENTS)


async def catalog_of(conn: "asyncpg.Connection[Record]") -> set[str]:
    """All that is stored in tables; functions and views come anew with each release."""
    lines = {row[0] for query in ALL for row in await conn.fetch(query)}
    assert len(lines) > 100
    return lines
