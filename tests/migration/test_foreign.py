"""What somebody else put where Holdfast belongs: `migrate` refuses it before its code can run."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest
from asyncpg import Record

from holdfast.db.migrate import FUNCTION_SET, migrate, pending
from holdfast.model.error import SchemaForeign
from tests.migration.catalog import catalog_of
from tests.migration.release import connection, with_migration
from tests.migration.test_owner import plain_user, url_for

LATER = with_migration("create table holdfast.later ()")

# Runs with the rights of the user who migrates: `set local role` is no fence, what runs may reset it.
TAKE_OVER = """
create function public.take_over() returns {returns} language plpgsql as $f$
begin
  reset role;
  execute 'alter role {name} superuser';
  return null;
end
$f$;
"""
TRIGGER = """
create schema holdfast;
create table holdfast.migrations (
  version integer primary key, name text, checksum text, applied_at timestamptz default clock_timestamp()
);
create trigger surprise before insert on holdfast.migrations for each row execute function public.take_over();
"""
VIEW = """
create schema holdfast;
create view holdfast.migrations as select 1 as version, public.take_over() as checksum;
create table holdfast.function_set (version integer, hash text);
"""
# An exact match is preferred to a function of the system with `variadic "any"`, wherever on the path it is.
SHADOW = """
create function public.format(text, text, text) returns text language plpgsql as $f$
begin
  reset role;
  execute 'alter role {name} superuser';
  return 'select 1';
end
$f$;
"""


@asynccontextmanager
async def a_squatter(conn: "asyncpg.Connection[Record]", url: str, *plants: str) -> AsyncIterator[str]:
    """A user with nothing but CREATE on the database, who has run `plants`."""
    async with plain_user(conn) as name:
        await conn.execute(f"grant create on schema public to {name}")
        async with connection(url_for(name, url)) as theirs:
            for plant in plants:
                await theirs.execute(plant.replace("{name}", name))
        yield name
        assert not await is_superuser(conn, name)


async def is_superuser(conn: "asyncpg.Connection[Record]", name: str) -> bool:
    return bool(await conn.fetchval("select rolsuper from pg_roles where rolname = $1", name))


async def everything(conn: "asyncpg.Connection[Record]") -> list[Record]:
    """All that is in the database, by what wrote it last."""
    rows = await conn.fetch(
        """select 'c' as kind, oid, xmin::text from pg_class union all
           select 'p', oid, xmin::text from pg_proc union all
           select 'n', oid, xmin::text from pg_namespace order by 1, 2"""
    )
    assert len(rows) > 100
    return rows


@pytest.mark.parametrize(
    "plants",
    [
        (TAKE_OVER.replace("{returns}", "trigger"), TRIGGER),
        (TAKE_OVER.replace("{returns}", "text"), VIEW),
        ("create schema holdfast",),
    ],
    ids=["trigger", "view", "empty"],
)
async def test_a_planted_schema_is_refused_before_anything_is_touched(
    empty: "asyncpg.Connection[Record]", empty_database_url: str, plants: tuple[str, ...]
) -> None:
    async with a_squatter(empty, empty_database_url, *plants) as name:
        before = await everything(empty)
        for step in (pending, migrate):
            with pytest.raises(SchemaForeign, match=f"schema holdfast belongs to {name}") as caught:
                await step(empty)
            assert name in (caught.value.hint or "")
        assert await everything(empty) == before


@pytest.mark.parametrize(
    ("plant", "what"),
    [
        ("create table holdfast.planted ()", "table holdfast.planted"),
        ("create view holdfast.planted as select 1 as a", "view holdfast.planted"),
        ("create function holdfast.now(int) returns int language sql as 'select 1'", "function holdfast.now"),
        ("create type holdfast.planted as enum ('a')", "type holdfast.planted"),
        ("create domain holdfast.planted as int", "type holdfast.planted"),
        ("create sequence holdfast.planted", "sequence holdfast.planted"),
        ("create operator holdfast.=== (leftarg = int, rightarg = int, function = int4eq)", "operator"),
        ("create collation holdfast.planted from \"C\"", "collation holdfast.planted"),
        ("create aggregate holdfast.planted(int) (sfunc = int4pl, stype = int)", "function holdfast.planted"),
        ("create text search configuration holdfast.planted (copy = simple)", "text search configuration"),
        (TAKE_OVER.replace("{returns}", "trigger")
         + "create trigger surprise before insert on holdfast.migrations for each row"
           " execute function public.take_over()", "function public.take_over"),
    ],
    ids=lambda value: value.split("(")[0][:50].strip().replace(" ", "_"),
)  # fmt: skip
async def test_an_object_of_another_owner_in_a_real_installation_is_refused(
    migrated: "asyncpg.Connection[Record]", database_url: str, plant: str, what: str
) -> None:
    """Where somebody was once granted too much."""
    async with plain_user(migrated) as name:
        await migrated.execute(f"grant create on schema public to {name}")
        await migrated.execute(f"grant usage, create on schema holdfast to {name}")
        await migrated.execute(f"grant all on all tables in schema holdfast to {name}")
        async with connection(url_for(name, database_url)) as theirs:
            await theirs.execute(plant.replace("{name}", name))
        before = await catalog_of(migrated)
        with pytest.raises(SchemaForeign, match=f"{what}.* belongs to {name}"):
            await migrate(migrated, LATER)
        assert await catalog_of(migrated) == before
        assert not await is_superuser(migrated, name)


async def test_functions_that_shadow_those_of_the_system_are_not_called(
    migrated: "asyncpg.Connection[Record]", database_url: str
) -> None:
    async with a_squatter(migrated, database_url, SHADOW):
        assert (await migrate(migrated, function_set=FUNCTION_SET + 1)).functions_installed


async def test_a_trigger_of_a_superuser_is_no_reason_to_refuse(
    migrated: "asyncpg.Connection[Record]", database_url: str
) -> None:
    async with plain_user(migrated) as name:
        await migrated.execute(f"alter role {name} superuser")
        async with connection(url_for(name, database_url)) as other:
            await other.execute(TAKE_OVER.format(name="nobody", returns="trigger"))
            await other.execute(
                "create trigger audited after delete on holdfast.installation"
                " for each row execute function public.take_over()"
            )
            assert (await migrate(other, LATER)).changed
            assert (await migrate(migrated, LATER, FUNCTION_SET + 1)).changed


async def test_who_owns_an_installation_goes_on_migrating_it(
    empty: "asyncpg.Connection[Record]", empty_database_url: str
) -> None:
    """A superuser is told to do it as the owner: the owner could have put anything there."""
    async with plain_user(empty) as name:
        async with connection(url_for(name, empty_database_url)) as owner:
            await migrate(owner)
            with pytest.raises(SchemaForeign, match=f"belongs to {name}"):
                await migrate(empty, LATER)
            assert (await migrate(owner, LATER)).changed
        await empty.execute(f"set role {name}")
        assert (await migrate(empty, LATER, FUNCTION_SET + 1)).changed
        await empty.execute("reset role")
