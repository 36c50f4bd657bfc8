"""Several processes, one server: the last one out stops it, however the others went."""

import os
from pathlib import Path

from holdfast.embedded import EmbeddedServer
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
)


def test_processes_that_start_at_once_in_an_empty_directory_share_one_server(short_dir: Path) -> None:
    data_dir = short_dir / "data"
    members = [start_member(data_dir) for _ in range(4)]

    dsns = {joined(member) for member in members}

    assert len(dsns) == 1
    assert sorted(path.name for path in data_dir.glob("pg*")) == [pgdata_of(data_dir).name]
    assert list(data_dir.glob("init-*")) == []
    dsn = dsns.pop()
    for member in members[:3]:
        tell(member, "stop")
    assert accepts_connections(dsn)
    tell(members[3], "stop")
    assert not accepts_connections(dsn)


def test_the_server_outlives_the_process_that_started_it(server: EmbeddedServer, data_dir: Path) -> None:
    starter = start_member(data_dir)
    dsn = joined(starter)
    pid = server_pid(data_dir)
    server.start()

    tell(starter, "stop")

    assert sql(dsn, "select 1") == "1"
    assert server_pid(data_dir) == pid


def test_a_killed_member_no_longer_counts(server: EmbeddedServer, data_dir: Path) -> None:
    member = start_member(data_dir)
    dsn = joined(member)
    server.start()
    kill(member)

    server.stop()

    assert not accepts_connections(dsn)
    assert list(data_dir.glob("member-*")) == []


def test_a_process_that_exits_without_stopping_stops(data_dir: Path) -> None:
    member = start_member(data_dir)
    dsn = joined(member)

    tell(member, "exit")

    assert not accepts_connections(dsn)


def test_the_last_one_killed_leaves_a_server_that_the_next_one_joins_and_stops(
    server: EmbeddedServer, data_dir: Path
) -> None:
    member = start_member(data_dir)
    dsn = joined(member)
    pid = server_pid(data_dir)
    kill(member)
    assert accepts_connections(dsn)

    server.start()
    assert server_pid(data_dir) == pid
    server.stop()
    assert not accepts_connections(dsn)


def test_two_servers_of_one_process_count_as_two(data_dir: Path) -> None:
    first, second = fast_server(data_dir), fast_server(data_dir)
    dsn = first.start()
    assert second.start() == dsn

    first.stop()
    assert accepts_connections(dsn)
    second.stop()
    assert not accepts_connections(dsn)


def test_a_forked_child_that_stops_does_not_take_the_server_from_its_parent(
    server: EmbeddedServer, data_dir: Path
) -> None:
    dsn = server.start()
    child = os.fork()
    if child == 0:
        server.stop()
        os._exit(0)
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 0
    assert accepts_connections(dsn)
    server.stop()
    assert not accepts_connections(dsn)
    assert list(data_dir.glob("member-*")) == []
