import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace

import asyncpg
import pytest
from asyncpg import Record

from holdfast.db import jobs
from holdfast.db import migrate as migrating
from holdfast.db.connect import Database
from holdfast.db.migrate import FUNCTION_SET, check_schema, migrate, pending, schema_version
from holdfast.model.error import (
    DatabaseError,
    SchemaAhead,
    SchemaBehind,
    SchemaDrifted,
    Timeout,
)
from holdfast.model.payload import encode
from tests.database import fresh_database
from tests.migration.catalog import catalog_of
from tests.migration.release import NEWEST, connection, with_function, with_migration, with_migrations
from tests.patience import PATIENCE

# A release some versions later.
LATER = with_migrations(
    "create table holdfast.one (n int)",
    "alter table holdfast.one rename to two",
    "alter table holdfast.two add m int",
)


async def function_exists(conn: "asyncpg.Connection[Record]", name: str) -> bool:
    found = await conn.fetch(
        "select from pg_proc where pronamespace = 'holdfast'::regnamespace and proname = $1", name
    )
    return bool(found)


async def test_an_empty_database_gets_everything(empty: "asyncpg.Connection[Record]") -> None:
    labels = [one.label for one in LATER.migrations]
    assert len(labels) == NEWEST + 3
    assert await pending(empty, LATER) == [*labels, "functions"]
    with pytest.raises(SchemaBehind):
        await check_schema(empty)
    report = await migrate(empty, LATER)
    assert report.applied == tuple(labels)
    assert report.functions_installed
    assert (report.roles, report.owner) == (True, "holdfast_owner")
    assert await pending(empty, LATER) == []
    await check_schema(empty)
    assert await empty.fetchval("select id from holdfast.installation") is not None
    assert await empty.fetch("select n, m from holdfast.two") == []


async def test_a_second_migrate_changes_nothing(migrated: "asyncpg.Connection[Record]") -> None:
    written = (
        "select array_agg(xmin::text order by oid) from pg_proc where pronamespace = 'holdfast'::regnamespace"
    )
    before = await migrated.fetchval(written)
    report = await migrate(migrated)
    assert not report.changed
    assert await migrated.fetchval(written) == before


async def test_ten_migrations_at_once_do_the_work_once(empty_database_url: str) -> None:
    async with AsyncExitStack() as stack:
        conns = [await stack.enter_async_context(connection(empty_database_url)) for _ in range(10)]
        reports = await asyncio.gather(*(migrate(conn, LATER) for conn in conns))
        applied = [label for report in reports for label in report.applied]
        assert sorted(applied) == [one.label for one in LATER.migrations]
        assert [report.functions_installed for report in reports].count(True) == 1
        assert await conns[0].fetchval("select count(*) from holdfast.migrations") == len(LATER.migrations)
        assert await conns[0].fetchval("select count(*) from holdfast.installation") == 1


@pytest.mark.slow
async def test_migrations_of_several_databases_of_one_server_at_once_all_succeed(server_url: str) -> None:
    async with AsyncExitStack() as stack:
        urls = [await stack.enter_async_context(fresh_database(server_url)) for _ in range(4)]
        conns = [await stack.enter_async_context(connection(url)) for url in urls]
        reports = await asyncio.gather(*(migrate(conn) for conn in conns))
        assert all(report.functions_installed and report.roles for report in reports)


async def test_an_older_program_does_not_replace_a_newer_set_of_functions(
    migrated: "asyncpg.Connection[Record]",
) -> None:
    newer = with_function(
        "create or replace function holdfast.of_tomorrow() returns int language sql as 'select 1'"
    )
    await migrate(migrated, newer, FUNCTION_SET + 1)
    with pytest.raises(SchemaAhead) as caught:
        await migrate(migrated)
    assert caught.value.exit_code == 4
    assert await function_exists(migrated, "of_tomorrow")
    assert (await schema_version(migrated)).function_set == FUNCTION_SET + 1
    await check_schema(migrated)


async def test_a_migration_that_this_program_does_not_know_is_from_a_newer_one(
    migrated: "asyncpg.Connection[Record]",
) -> None:
    await migrate(migrated, with_migration("create table holdfast.of_tomorrow ()"))
    with pytest.raises(SchemaAhead, match=f"{NEWEST + 1:04}"):
        await migrate(migrated)


async def test_a_database_gets_only_the_migrations_that_it_lacks(
    migrated: "asyncpg.Connection[Record]",
) -> None:
    *_, second, third = [one.label for one in LATER.migrations]
    before = replace(LATER, migrations=LATER.migrations[:-2])
    await migrate(migrated, before)
    assert await pending(migrated, LATER) == [second, third, "functions"]
    assert (await migrate(migrated, LATER)).applied == (second, third)


async def test_a_migration_that_was_changed_after_it_was_applied_is_refused(
    migrated: "asyncpg.Connection[Record]",
) -> None:
    await migrate(migrated, LATER)
    *rest, last = LATER.migrations
    changed = replace(LATER, migrations=(*rest, replace(last, text=last.text + "\n-- changed")))
    with pytest.raises(SchemaDrifted, match=last.label) as caught:
        await migrate(migrated, changed)
    assert "install the release that migrated this database" in (caught.value.hint or "")


async def test_a_failed_migration_keeps_those_before_it(empty: "asyncpg.Connection[Record]") -> None:
    broken = with_migrations("create table holdfast.one ()", "select 1 / 0")
    with pytest.raises(DatabaseError, match=f"{NEWEST + 2:04}_added"):
        await migrate(empty, broken)
    assert (await schema_version(empty)).migration == NEWEST + 1
    mended = with_migrations("create table holdfast.one ()", "create table holdfast.two ()")
    assert (await migrate(empty, mended)).applied == (f"{NEWEST + 2:04}_added",)


async def test_a_failed_migration_leaves_nothing_and_names_its_file(
    migrated: "asyncpg.Connection[Record]",
) -> None:
    before = await catalog_of(migrated)
    broken = with_migration("create table holdfast.half (); select 1 / 0;")
    with pytest.raises(DatabaseError, match=f"{NEWEST + 1:04}_added"):
        await migrate(migrated, broken)
    assert await catalog_of(migrated) == before
    assert (await schema_version(migrated)).migration == NEWEST
    report = await migrate(migrated, with_migration("create table holdfast.whole ();"))
    assert report.applied == (f"{NEWEST + 1:04}_added",)


async def test_a_migration_whose_connection_is_killed_leaves_nothing(database_url: str) -> None:
    async with connection(database_url) as watcher, connection(database_url) as victim:
        before = await catalog_of(watcher)
        slow = with_migration("create table holdfast.half (); select pg_sleep(60);")
        task = asyncio.create_task(migrate(victim, slow))
        asleep = (
            "select pid from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"
        )
        async with asyncio.timeout(PATIENCE):
            while (pid := await watcher.fetchval(asleep)) is None:
                await asyncio.sleep(0.01)
        await watcher.execute("select pg_terminate_backend($1)", pid)
        with pytest.raises(Exception, match=r"terminat|closed"):
            await task
        assert await catalog_of(watcher) == before
        assert await pending(watcher) == []
        assert (await migrate(watcher, with_migration("create table holdfast.whole ();"))).applied


async def test_a_changed_function_is_replaced_and_a_dropped_one_is_gone(
    migrated: "asyncpg.Connection[Record]",
) -> None:
    added = "create or replace function holdfast.added() returns int language sql as 'select {}'"
    await migrate(migrated, with_function(added.format(1)))
    assert await migrated.fetchval("select holdfast.added()") == 1
    await migrate(migrated, with_function(added.format(2)))
    assert await migrated.fetchval("select holdfast.added()") == 2
    report = await migrate(migrated)
    assert report.functions_installed
    assert not await function_exists(migrated, "added")


async def test_a_function_whose_result_changes_shape_is_made_anew(
    migrated: "asyncpg.Connection[Record]",
) -> None:
    await migrate(
        migrated,
        with_function("create or replace function holdfast.added() returns int language sql as 'select 1'"),
    )
    await migrate(
        migrated,
        with_function(
            "create or replace function holdfast.added() returns text language sql as $$select 'x'$$"
        ),
    )
    assert await migrated.fetchval("select holdfast.added()") == "x"
    (made,) = await jobs.enqueue_jobs(migrated, ["t"], [encode(1)])
    assert await jobs.get_job(migrated, made.id)


async def test_a_view_whose_columns_change_is_made_anew(migrated: "asyncpg.Connection[Record]") -> None:
    view = "create or replace view holdfast.added_view as select {} from holdfast.job_view"
    await migrate(migrated, with_function(view.format("id, queue")))
    await migrate(migrated, with_function(view.format("queue")))
    assert await migrated.fetch("select queue from holdfast.added_view") == []


async def test_a_view_of_the_users_own_is_not_dropped(migrated: "asyncpg.Connection[Record]") -> None:
    await migrated.execute("create view public.mine as select id from holdfast.job_view")
    view = "create or replace view holdfast.added_view as select {} from holdfast.jobs"
    await migrate(migrated, with_function(view.format("id, queue")))
    with pytest.raises(DatabaseError) as caught:
        await migrate(migrated, with_function(view.format("queue")))
    assert "your own objects" in (caught.value.hint or "")
    assert await migrated.fetch("select * from public.mine") == []


async def test_a_migration_gives_way_after_two_seconds_and_tries_again(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it waits for the table everybody else's statements on it wait too, so it must let them pass."""
    async with Database(database_url) as db, connection(database_url) as migrator:
        waited = asyncio.Event()
        monkeypatch.setattr(migrating, "emit", lambda *_args, **_fields: waited.set())
        async with db.transaction() as holder:
            await holder.execute("lock table holdfast.jobs in access exclusive mode")
            task = asyncio.create_task(
                migrate(migrator, with_migration("alter table holdfast.jobs add hot int"))
            )
            await asyncio.wait_for(waited.wait(), PATIENCE)
        assert (await task).applied == (f"{NEWEST + 1:04}_added",)


async def test_a_migration_that_never_gets_its_lock_says_what_to_look_for(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrating, "TRIES", 1)
    async with Database(database_url) as db, connection(database_url) as migrator:
        async with db.transaction() as holder:
            await holder.execute("lock table holdfast.jobs in access exclusive mode")
            with pytest.raises(Timeout) as caught:
                await migrate(migrator, with_migration("alter table holdfast.jobs add hot int"))
        assert "pg_stat_activity" in (caught.value.hint or "")
