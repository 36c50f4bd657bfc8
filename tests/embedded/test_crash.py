"""What is left by a crash: data, but no confusion."""

import contextlib
import subprocess
import threading
from datetime import timedelta
from pathlib import Path

import psutil
import pytest

from holdfast.embedded import EmbeddedError, EmbeddedServer
from holdfast.embedded.member_processes import has_live_members
from holdfast.embedded.postmaster import find_postmaster
from tests.embedded.running import (
    accepts_connections,
    fast_server,
    joined,
    kill,
    pgdata_of,
    server_account,
    server_pid,
    sql,
    start_member,
    wait_until,
    wrapped_programs,
)
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow


def kill_server(data_dir: Path) -> None:
    process = psutil.Process(server_pid(data_dir))
    process.kill()
    wait_until(lambda: not is_live(process))


def kill_all(processes: list[psutil.Process]) -> None:
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


def is_live(process: psutil.Process) -> bool:
    return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)


def test_data_survive_the_killing_of_every_process(short_dir: Path) -> None:
    data_dir = short_dir / "data"
    with EmbeddedServer(data_dir):
        pass
    member = start_member(data_dir)
    sql(joined(member), "create table kept as select generate_series(1, 1000) as id")
    family = psutil.Process(server_pid(data_dir))
    doomed = [family, *family.children(recursive=True)]
    kill_all(doomed)
    kill(member)
    psutil.wait_procs(doomed, timeout=PATIENCE)

    with EmbeddedServer(data_dir) as dsn:
        assert sql(dsn, "select count(*) from kept") == "1000"


def test_starting_again_revives_a_server_that_was_killed(server: EmbeddedServer, data_dir: Path) -> None:
    dsn = server.start()
    kill_server(data_dir)

    assert server.start() == dsn
    assert sql(dsn, "select 1") == "1"


def test_a_backend_that_outlives_its_server_is_waited_for(server: EmbeddedServer, data_dir: Path) -> None:
    """It computes without looking up, and holds the old server's memory until it is done."""
    busy = (
        "do $$ declare started timestamptz := clock_timestamp(); "
        "begin while clock_timestamp() < started + interval '2 s' loop end loop; end $$"
    )
    dsn = server.start()
    client = subprocess.Popen([server.psql_path, dsn, "-c", busy], stderr=subprocess.DEVNULL)
    busy_pid = "select pid from pg_stat_activity where state = 'active' and query like 'do $$%'"
    wait_until(lambda: sql(dsn, busy_pid) != "")
    backend = psutil.Process(int(sql(dsn, busy_pid)))
    kill_server(data_dir)
    assert is_live(backend)

    assert server.start() == dsn

    assert not is_live(backend)
    assert sql(dsn, "select 1") == "1"
    client.wait(PATIENCE)


@pytest.mark.parametrize(
    "content",
    ["", "\n\n\n", "garbage", "-1\n", "0\n", "99999999999999999999\n", "4194303\n/nowhere\n", "12"],
    ids=["empty", "blank", "garbage", "negative", "zero", "huge", "stale", "half"],
)
def test_a_pid_file_that_tells_nothing_true_is_no_server(
    server: EmbeddedServer, data_dir: Path, content: str
) -> None:
    (pgdata_of(data_dir) / "postmaster.pid").write_text(content)
    (data_dir / "socket" / ".s.PGSQL.5432.lock").write_text(content)

    assert sql(server.start(), "select 1") == "1"


def test_a_stranger_with_the_old_pid_is_neither_taken_for_the_server_nor_touched(
    server: EmbeddedServer, data_dir: Path
) -> None:
    dsn = server.start()
    written = (pgdata_of(data_dir) / "postmaster.pid").read_text()
    old = server_pid(data_dir)
    kill_server(data_dir)
    stranger = sleeper_of_the_server_s_user(data_dir)
    recycled = written.replace(str(old), str(stranger.pid), 1)
    (pgdata_of(data_dir) / "postmaster.pid").write_text(recycled)
    (data_dir / "socket" / ".s.PGSQL.5432.lock").write_text(recycled)
    assert find_postmaster(pgdata_of(data_dir), data_dir / "socket" / ".s.PGSQL.5432") is None

    assert server.start() == dsn
    assert server_pid(data_dir) != stranger.pid
    server.stop()
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


def test_a_live_server_is_found_and_stopped_when_its_pid_file_names_a_stranger(
    server: EmbeddedServer, data_dir: Path
) -> None:
    dsn = server.start()
    pid = server_pid(data_dir)
    stranger = sleeper_of_the_server_s_user(data_dir)
    (pgdata_of(data_dir) / "postmaster.pid").write_text(f"{stranger.pid}\n")

    assert find_postmaster(pgdata_of(data_dir), data_dir / "socket" / ".s.PGSQL.5432") == pid
    assert server.start() == dsn
    server.stop()
    assert not accepts_connections(dsn)
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


def test_another_server_with_the_old_pid_is_neither_taken_for_ours_nor_touched(
    server: EmbeddedServer, data_dir: Path, own_data_dir: Path
) -> None:
    with fast_server(own_data_dir) as other_dsn:
        recycled = (pgdata_of(own_data_dir) / "postmaster.pid").read_text()
        (pgdata_of(data_dir) / "postmaster.pid").write_text(recycled)

        assert server.start() != other_dsn
        assert server_pid(data_dir) != server_pid(own_data_dir)
        server.stop()
        assert sql(other_dsn, "select 1") == "1"


def sleeper_of_the_server_s_user(data_dir: Path) -> subprocess.Popen[bytes]:
    return server_account(data_dir).start(["/bin/sleep", "600"], subprocess.DEVNULL)


@pytest.mark.parametrize("orphan", [False, True], ids=["all-killed", "initdb-lives-on"])
def test_a_start_killed_during_initdb_leaves_nothing_behind(short_dir: Path, orphan: bool) -> None:
    data_dir = short_dir / "data"
    gate = short_dir / "gate"
    half_made = (
        'echo 18 > "$2/PG_VERSION"; mkdir "$2/base"; while [ ! -e "$GATE" ]; do sleep 0.05; done; exit 1'
    )
    programs = wrapped_programs(short_dir / "bin", initdb=half_made.replace("$GATE", str(gate)))
    member = start_member(data_dir, programs)
    wait_until(lambda: list(data_dir.glob("init-*/base")) != [])
    initdb = psutil.Process(member.pid).children(recursive=True)
    kill(member)
    if orphan:
        threading.Timer(0.5, gate.touch).start()
    else:
        kill_all(initdb)

    careful = f"[ {int(orphan)} = 0 ] || [ -e {gate} ] || {{ echo the first initdb still runs; exit 1; }}"
    with fast_server(data_dir, bin_dir=wrapped_programs(short_dir / "careful", initdb=careful)) as dsn:
        assert sql(dsn, "select 1") == "1"
    assert list(data_dir.glob("init-*")) == []


def test_a_failing_initdb_shows_what_it_said_and_leaves_nothing_behind(short_dir: Path) -> None:
    programs = wrapped_programs(
        short_dir / "bin", initdb="echo no space left on this pretended device; exit 3"
    )

    with pytest.raises(EmbeddedError, match="no space left on this pretended device"):
        fast_server(short_dir / "data", bin_dir=programs).start()
    assert [path.name for path in (short_dir / "data").iterdir() if path.is_dir()] == []


def test_a_server_that_needs_long_to_listen_is_waited_for(data_dir: Path, short_dir: Path) -> None:
    programs = wrapped_programs(short_dir / "bin", postgres="sleep 2")

    with fast_server(data_dir, bin_dir=programs) as dsn:
        assert sql(dsn, "select 1") == "1"


def test_a_recovery_that_outlasts_the_limit_is_reported_left_alone_and_joined_later(
    own_data_dir: Path, short_dir: Path
) -> None:
    """A recovery from an archive asks restore_command for its next file, which here takes its time."""
    gate = short_dir / "gate"
    server_account(own_data_dir).run(["/usr/bin/touch", pgdata_of(own_data_dir) / "recovery.signal"])
    settings = {"restore_command": f"while [ ! -e {gate} ]; do sleep 0.05; done; false"}
    impatient = fast_server(own_data_dir, settings=settings, start_limit=timedelta(seconds=1))
    with pytest.raises(EmbeddedError, match="is not ready after 1 s") as caught:
        impatient.start()
    assert "database system was shut down" in str(caught.value)
    pid = server_pid(own_data_dir)

    patient = fast_server(own_data_dir)
    threading.Timer(1, gate.touch).start()
    dsn = patient.start()

    assert gate.exists()
    assert server_pid(own_data_dir) == pid
    assert sql(dsn, "select pg_is_in_recovery()") == "f"
    # On a busy machine one look may come just before the server is ready; each look would leave a line.
    assert patient.log_tail(lines=200).count("FATAL") <= 1, "the waiting itself filled the log"
    patient.stop()


def test_a_wrong_setting_is_shown_in_the_error(data_dir: Path) -> None:
    with pytest.raises(EmbeddedError, match='invalid value for parameter "work_mem": "plenty"'):
        fast_server(data_dir, settings={"work_mem": "plenty"}).start()


def test_a_server_that_dies_in_recovery_shows_the_end_of_its_log(own_data_dir: Path) -> None:
    for segment in (pgdata_of(own_data_dir) / "pg_wal").glob("0*"):
        segment.unlink()

    server = fast_server(own_data_dir)
    with pytest.raises(EmbeddedError, match="could not locate a valid checkpoint record"):
        server.start()
    assert not has_live_members(own_data_dir)
