"""One process, one server: what the DSN reaches and what the server is like."""

import os
import re
import signal
import stat
import time
from pathlib import Path

import asyncpg
import pytest

from holdfast.embedded import EmbeddedServer
from holdfast.embedded.find_programs import find_binaries
from tests.embedded.running import (
    accepts_connections,
    fast_server,
    joined,
    kill,
    pgdata_of,
    server_pid,
    sql,
    start_member,
    tell,
    wait_until,
)
from tests.patience import PATIENCE

DEBIAN_15 = Path("/usr/lib/postgresql/15/bin")


def test_psql_reaches_the_database_as_its_superuser(server: EmbeddedServer) -> None:
    dsn = server.start()

    assert sql(dsn, "select current_database(), current_user, usesuper from pg_user") == "holdfast|holdfast|t"
    assert server.psql_path == server.bin_dir / "psql"
    assert server.psql_path.exists()


async def test_asyncpg_reaches_the_database(server: EmbeddedServer) -> None:
    connection = await asyncpg.connect(server.start())
    try:
        assert await connection.fetchval("select current_database()") == "holdfast"
    finally:
        await connection.close()


def test_starting_twice_is_starting_once(server: EmbeddedServer, data_dir: Path) -> None:
    dsn = server.start()
    pid = server_pid(data_dir)

    assert server.start() == dsn
    assert server_pid(data_dir) == pid
    server.stop()
    assert not accepts_connections(dsn)


def test_the_server_lives_as_long_as_the_with_block(data_dir: Path) -> None:
    with fast_server(data_dir) as dsn:
        assert accepts_connections(dsn)
    assert not accepts_connections(dsn)
    assert not (pgdata_of(data_dir) / "postmaster.pid").exists()


def test_stopping_a_server_that_was_not_started_does_nothing(data_dir: Path) -> None:
    with fast_server(data_dir) as dsn:
        fast_server(data_dir).stop()
        assert accepts_connections(dsn)


def test_a_fresh_directory_gets_a_durable_cluster_with_our_settings(short_dir: Path) -> None:
    expected = {
        "fsync": "on",
        "max_connections": "200",
        "autovacuum_naptime": "5s",
        "timezone": "UTC",
        "server_encoding": "UTF8",
        "lc_messages": "C",
        "listen_addresses": "",
        "data_checksums": "on",
        "logging_collector": "on",
        "log_truncate_on_rotation": "on",
    }
    with EmbeddedServer(short_dir / "made" / "here") as dsn:
        found = {name: sql(dsn, f"select current_setting('{name}')") for name in expected}
        collation = sql(dsn, "select datcollate from pg_database where datname = 'holdfast'")
    assert found == expected
    assert collation == "C"
    assert (short_dir / "made" / "here" / f"pg{find_binaries().major}" / "PG_VERSION").exists()


def test_pg_stat_statements_is_loaded_where_it_is_installed(server: EmbeddedServer) -> None:
    loaded = sql(server.start(), "select current_setting('shared_preload_libraries')")

    assert (loaded == "pg_stat_statements") == find_binaries().has_library("pg_stat_statements")


def test_settings_of_the_caller_win(data_dir: Path) -> None:
    with fast_server(data_dir, settings={"max_connections": "17", "work_mem": "5MB"}) as dsn:
        assert sql(dsn, "select current_setting('max_connections')") == "17"
        assert sql(dsn, "select current_setting('work_mem')") == "5MB"


def test_only_its_own_user_can_reach_the_socket(server: EmbeddedServer, data_dir: Path) -> None:
    server.start()

    for directory in (data_dir / "socket", pgdata_of(data_dir)):
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700


@pytest.mark.parametrize("name", ["with spaces in it", "comma, 'quote' and \"quotes\"", "ümläut"])
def test_any_name_of_a_directory_will_do(own_data_dir: Path, name: str) -> None:
    odd = own_data_dir.rename(own_data_dir.parent / name)

    with fast_server(odd) as dsn:
        assert sql(dsn, "select 1") == "1"


async def test_a_path_longer_than_a_socket_address_gets_a_private_socket_elsewhere(
    own_data_dir: Path,
) -> None:
    parent = own_data_dir.parent / ("deep" * 25)
    parent.mkdir(mode=0o711)
    long = own_data_dir.rename(parent / "data")

    with fast_server(long) as dsn, fast_server(long) as again:
        assert dsn == again
        socket_dir = Path(sql(dsn, "select current_setting('unix_socket_directories')"))
        assert stat.S_IMODE(socket_dir.stat().st_mode) == 0o700
        connection = await asyncpg.connect(dsn)
        await connection.close()
    assert not socket_dir.exists()


def test_a_stranger_s_directory_in_the_socket_s_place_is_refused(own_data_dir: Path) -> None:
    socket_dir = own_data_dir / "socket"
    socket_dir.chmod(0o777)

    with pytest.raises(Exception, match="must be a private directory"):
        fast_server(own_data_dir).start()


def test_the_log_tail_shows_the_newest_lines(server: EmbeddedServer) -> None:
    dsn = server.start()
    sql(dsn, "do $$ begin raise log 'hello from %', 'the test'; end $$")

    wait_until(lambda: "hello from the test" in server.log_tail())
    assert len(server.log_tail(lines=2).splitlines()) == 2


def test_old_and_large_logs_are_removed_at_a_start(server: EmbeddedServer, data_dir: Path) -> None:
    logs = pgdata_of(data_dir) / "log"
    old, large, recent = logs / "server-98.log", logs / "server-97.log", logs / "server-96.log"
    for path in (old, large, recent):
        path.touch()
    os.utime(old, (time.time() - 90_000,) * 2)
    os.truncate(large, 17 * 1024 * 1024)

    server.start()

    assert [path.exists() for path in (old, large, recent)] == [False, False, True]


def test_a_failed_statement_leaves_no_payload_in_the_log(server: EmbeddedServer) -> None:
    sql(server.start(), "create table secret (id int primary key)")
    with pytest.raises(AssertionError, match="does not exist"):
        sql(server.start(), "select 'my payload' from nowhere")

    wait_until(lambda: re.search("ERROR:.*nowhere", server.log_tail()) is not None)
    assert "my payload" not in server.log_tail()


def test_ctrl_c_for_the_process_that_started_it_leaves_the_server_to_the_others(
    server: EmbeddedServer, data_dir: Path
) -> None:
    starter = start_member(data_dir)
    dsn = joined(starter)
    pid = server_pid(data_dir)
    server.start()

    os.killpg(starter.pid, signal.SIGINT)
    starter.communicate(timeout=PATIENCE)

    assert sql(dsn, "select 1") == "1"
    assert server_pid(data_dir) == pid


@pytest.mark.skipif(not DEBIAN_15.exists(), reason="PostgreSQL 15 is not installed")
def test_an_older_server_of_the_system_works_too(short_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_POSTGRES_BIN", str(DEBIAN_15))

    with fast_server(short_dir / "data") as dsn:
        assert sql(dsn, "show server_version").startswith("15.")
    assert (short_dir / "data" / "pg15").exists()


def test_a_directory_that_is_deleted_while_in_use_can_still_be_left(own_data_dir: Path) -> None:
    member = start_member(own_data_dir)
    joined(member)
    own_data_dir.rename(own_data_dir.with_name("gone"))

    tell(member, "stop")
    kill(member)
