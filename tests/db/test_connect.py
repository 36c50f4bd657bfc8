import asyncio
import shutil
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import asyncpg
import pytest

from chaos.postgres_proxy import proxied_postgres
from holdfast.db import queues
from holdfast.db.address import Source, resolve_address
from holdfast.db.connect import Database, connect
from holdfast.db.kept_connection import KeptConnection
from holdfast.db.statement import fetch_value
from holdfast.model.error import DatabaseBusy, DatabaseUnavailable, HoldfastError, InvalidOption, SchemaBehind
from tests.database import url_of

# What a server answers that has not recovered yet.
FATAL = b"SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0"
STARTING_UP = b"E" + (len(FATAL) + 4).to_bytes(4, "big") + FATAL


async def failure_of(url: str) -> HoldfastError:
    with pytest.raises(HoldfastError) as caught:
        await Database(url).start()
    assert caught.value.hint
    assert "secret" not in str(caught.value)
    return caught.value


async def test_a_refused_connection_says_so_and_where_the_address_came_from() -> None:
    error = await failure_of("postgresql://me:secret@127.0.0.1:1/x")
    assert isinstance(error, DatabaseUnavailable)
    assert Source.GIVEN in error.message
    assert error.hint == "check that PostgreSQL is running, and that the given URL is its address"
    assert error.exit_code == 3


async def test_an_unknown_host_is_unavailable() -> None:
    assert isinstance(await failure_of("postgresql://me:secret@no-such-host.invalid/x"), DatabaseUnavailable)


async def test_a_missing_socket_is_unavailable(tmp_path: Path) -> None:
    assert isinstance(await failure_of(f"postgresql://me:secret@/x?host={tmp_path}"), DatabaseUnavailable)


async def test_a_server_that_is_starting_is_waited_for(database_url: str) -> None:
    async with proxied_postgres(database_url) as (proxy, url):
        proxy.turn_away(3, STARTING_UP)
        async with Database(url) as database:
            assert await fetch_value(database, "select 1") == 1
    assert proxy.turned_away == 3


async def test_a_server_that_goes_on_starting_is_unavailable(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.db.connect.STARTING", timedelta(seconds=0.3))
    async with proxied_postgres(database_url) as (proxy, url):
        proxy.turn_away(1000, STARTING_UP)
        error = await failure_of(url)
    assert isinstance(error, DatabaseUnavailable)
    assert "starting up" in error.message


async def test_a_missing_database_is_named(server_url: str) -> None:
    error = await failure_of(url_of(server_url, "no_such_database"))
    assert isinstance(error, DatabaseUnavailable)
    assert "no_such_database" in error.message
    assert "create the database" in (error.hint or "")


async def test_an_unknown_user_is_unavailable(server_url: str) -> None:
    error = await failure_of(server_url.replace("//holdfast@", "//nobody_here:secret@"))
    assert isinstance(error, DatabaseUnavailable)
    assert "user" in (error.hint or "")


async def test_a_malformed_url_is_a_usage_error() -> None:
    error = await failure_of("postgresql://me:secret@host:port/x")
    assert isinstance(error, InvalidOption)


async def test_a_database_without_holdfast_asks_for_migrate(empty_database_url: str) -> None:
    async with Database(empty_database_url) as db:
        with pytest.raises(SchemaBehind) as caught:
            await queues.declare_queue(db, "q")
    assert caught.value.hint == "run 'holdfast migrate'"


async def test_the_pool_starts_at_first_use_and_once(database_url: str) -> None:
    db = Database(database_url, pool_size=2)
    try:
        answers = await asyncio.gather(*(fetch_value(db, "select 1") for _ in range(20)))
        count = (
            "select count(*) from pg_stat_activity"
            " where datname = current_database() and backend_type = 'client backend'"
        )
        assert answers == [1] * 20
        assert await fetch_value(db, count) <= 2
        assert await fetch_value(db, "show application_name") == "holdfast"
    finally:
        await db.close()


async def test_a_transaction_commits_at_its_end_and_rolls_back_on_an_error(db: Database) -> None:
    await db.execute("create table kept (n int)")
    async with db.transaction() as conn:
        await conn.execute("insert into kept values (1)")

    async def fails() -> None:
        async with db.transaction() as conn:
            await conn.execute("insert into kept values (2)")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fails()
    assert [row["n"] for row in await db.fetch("select n from kept")] == [1]


async def test_an_error_at_the_commit_is_translated(db: Database) -> None:
    await db.execute("create table late (n int unique deferrable initially deferred)")
    with pytest.raises(HoldfastError, match="duplicate key"):
        async with db.transaction() as conn:
            await conn.execute("insert into late values (1), (1)")


async def test_what_a_caller_set_in_a_session_is_gone_for_the_next_one(database_url: str) -> None:
    async def fails(db: Database) -> None:
        async with db.connection() as conn:
            await conn.execute("set search_path = pg_temp")
            raise ZeroDivisionError

    async with Database(database_url, pool_size=1) as db:
        before = await fetch_value(db, "show search_path")
        with pytest.raises(ZeroDivisionError):
            await fails(db)
        async with db.transaction() as conn:
            await conn.execute("set statement_timeout = 12345")
        assert await fetch_value(db, "show search_path") == before
        assert await fetch_value(db, "show statement_timeout") == "0"


async def test_waiting_for_a_free_connection_ends_with_an_error_of_its_own(database_url: str) -> None:
    async with Database(database_url, pool_size=1, pool_wait=timedelta(milliseconds=10)) as db:
        async with db.connection():
            with pytest.raises(DatabaseBusy):
                await fetch_value(db, "select 1")
            with pytest.raises(DatabaseBusy):
                async with db.transaction():
                    pass
        assert await fetch_value(db, "select 1") == 1


async def test_a_connection_that_the_server_ended_is_replaced(database_url: str) -> None:
    async with Database(database_url, pool_size=1) as db:
        with pytest.raises(DatabaseUnavailable):
            await fetch_value(db, "select pg_terminate_backend(pg_backend_pid())")
        assert await fetch_value(db, "select 1") == 1


BACKEND = "select pg_backend_pid()"
READ_ONLY = "set default_transaction_read_only = on"
WRITE = "create temp table written ()"


async def test_a_session_on_a_server_that_became_a_standby_is_replaced(database_url: str) -> None:
    async with Database(database_url, pool_size=1) as db:
        await db.execute(READ_ONLY)
        with pytest.raises(DatabaseUnavailable, match="read-only"):
            await db.execute(WRITE)
        await db.execute(WRITE)
    async with Database(database_url, pool_size=1) as db:
        kept = KeptConnection(db)
        await kept.fetch(READ_ONLY)
        with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
            await kept.fetch(WRITE)
        await kept.fetch(WRITE)
        await kept.give_back()


async def test_a_kept_connection_stays_the_same_until_it_breaks_or_gets_old(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = KeptConnection(db)
    first = await fetch_value(kept, BACKEND)
    await fetch_value(db, BACKEND)
    assert await fetch_value(kept, BACKEND) == first
    with pytest.raises(DatabaseUnavailable):
        await fetch_value(kept, "select pg_terminate_backend(pg_backend_pid())")
    assert await fetch_value(kept, BACKEND) != first
    changed: list[object] = []
    monkeypatch.setattr(db, "release", _noting(changed, db.release))
    monkeypatch.setattr("holdfast.db.kept_connection.KEPT_FOR", -1.0)
    await fetch_value(kept, BACKEND)
    assert len(changed) == 1
    await kept.give_back()


def _noting(
    seen: list[object], release: Callable[[Any], Awaitable[None]]
) -> Callable[[Any], Awaitable[None]]:
    async def noting(connection: Any) -> None:
        seen.append(connection)
        await release(connection)

    return noting


async def test_behind_a_pooler_no_statement_stays_prepared(database_url: str) -> None:
    prepared = "select count(*) from pg_prepared_statements"
    async with Database(resolve_address(database_url + "&pgbouncer=true"), pool_size=1) as db:
        for _ in range(3):
            assert await fetch_value(db, prepared) <= 1, "only the one that asks"
        assert await fetch_value(db, "select 7") == 7
        assert await fetch_value(db, f"{prepared} where statement like '%7%'") <= 1
    async with Database(database_url, pool_size=1) as db:
        await fetch_value(db, "select 7")
        assert await fetch_value(db, f"{prepared} where statement = 'select 7'") == 1


async def test_one_connection_of_its_own_has_the_same_errors(server_url: str) -> None:
    with pytest.raises(DatabaseUnavailable, match="no_such_database"):
        await connect(resolve_address(url_of(server_url, "no_such_database")))


@pytest.mark.slow
async def test_without_any_setting_an_embedded_server_is_started_and_announced(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Not tmp_path: where tests run as root, the server's user may not pass through it.
    directory = Path(mkdtemp(prefix="holdfast-test-"))
    directory.chmod(0o755)
    monkeypatch.setenv("HOLDFAST_DATA_DIR", str(directory / "data"))
    async with Database() as db:
        assert await fetch_value(db, "select 1") == 1
        assert db.address.listen_url
    said = capsys.readouterr()
    shutil.rmtree(directory)
    assert str(directory / "data") in said.err
    assert said.out == ""
