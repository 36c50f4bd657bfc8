"""Objects in Holdfast's schema that belong to another owner.

A migration runs code that it finds: triggers, defaults, functions. `set local role` does not confine that
code, which may reset the role, so its owner would gain the rights of the user who migrates.
"""

from holdfast.db.connect import Connection
from holdfast.model.error import SchemaForeign

# Every object's owner is in pg_shdepend, except the superuser who created the server. A trigger's function
# runs with the rights of the user who writes to the table, and may be in any schema.
FOREIGN = """
with ours as (
  select oid
  from pg_namespace
  where nspname = 'holdfast'
),
found as (
  select 'pg_namespace'::regclass as class, oid
  from ours
  union
  select d.classid, d.objid
  from ours
  join pg_depend d on d.refclassid = 'pg_namespace'::regclass and d.refobjid = ours.oid
  union
  select 'pg_proc'::regclass, t.tgfoid
  from ours
  join pg_class c on c.relnamespace = ours.oid
  join pg_trigger t on t.tgrelid = c.oid
)
select pg_describe_object(found.class, found.oid, 0) as object, r.rolname as owner
from found
join pg_shdepend s on s.classid = found.class and s.objid = found.oid and s.deptype = 'o'
join pg_database db on db.oid = s.dbid and db.datname = current_database()
join pg_roles r on r.oid = s.refobjid
where not r.rolsuper
  and r.rolname not in (current_user, 'holdfast_owner')
order by found.class <> 'pg_namespace'::regclass, object
"""


async def refuse_foreign(conn: Connection) -> None:
    """Raise SchemaForeign unless all belongs to Holdfast's owner, to this user or to a superuser."""
    found = await conn.fetch(FOREIGN)
    if not found:
        return
    first, owner = found[0]["object"], found[0]["owner"]
    others = f", and {len(found) - 1} more objects are not Holdfast's" if len(found) > 1 else ""
    raise SchemaForeign(
        f"The {first} belongs to {owner}, not to Holdfast{others}; nothing was changed.",
        f"code of {owner} would run with your rights: drop the {first}, or, if you trust {owner}, run "
        f"'holdfast migrate' as {owner}",
    )
