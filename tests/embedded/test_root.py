"""As root: the server runs as someone else, and nobody's folders are touched."""

import os
import pwd
import shutil
import stat
from pathlib import Path

import psutil
import pytest

from holdfast.embedded import EmbeddedError, EmbeddedServer, server_account
from holdfast.embedded.find_programs import find_binaries
from holdfast.embedded.ownership import usable_by
from tests.embedded.running import (
    fast_server,
    pgdata_of,
    reachable_programs,
    server_pid,
    sql,
    wrapped_programs,
)

pytestmark = [pytest.mark.skipif(os.geteuid() != 0, reason="needs root"), pytest.mark.slow]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_server_runs_as_an_unprivileged_user_without_our_groups_and_variables(
    server: EmbeddedServer, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_SECRET", "do not tell")
    dsn = server.start()
    process = psutil.Process(server_pid(data_dir))
    nobody = pwd.getpwnam("nobody")

    assert process.uids() == (nobody.pw_uid,) * 3
    assert process.gids() == (nobody.pw_gid,) * 3
    status = Path(f"/proc/{process.pid}/status").read_text()
    assert "Groups:\t \n" in status or "Groups:\t\n" in status
    assert "SOME_SECRET" not in process.environ()
    assert pgdata_of(data_dir).stat().st_uid == nobody.pw_uid
    assert data_dir.stat().st_uid == 0
    assert sql(dsn, "select 1") == "1"


def test_a_directory_that_the_server_cannot_reach_is_refused_and_no_mode_changes(short_dir: Path) -> None:
    closed = short_dir / "closed"
    closed.mkdir(mode=0o700)
    inner = closed / "inner"
    inner.mkdir(mode=0o700)

    with pytest.raises(EmbeddedError, match=f"cannot enter {inner}.*/var/lib/holdfast"):
        EmbeddedServer(inner / "data").start()
    with pytest.raises(EmbeddedError, match=f"cannot enter {closed}"):
        EmbeddedServer(closed / "data").start()

    assert (mode(closed), mode(inner)) == (0o700, 0o700)
    assert list(inner.iterdir()) == []


def test_the_modes_of_folders_above_the_data_stay_as_they_are(data_dir: Path) -> None:
    above = [data_dir.parent, data_dir.parent.parent]
    before = [(mode(path), path.stat().st_uid) for path in above]
    with fast_server(data_dir):
        pass

    assert [(mode(path), path.stat().st_uid) for path in above] == before


def test_an_empty_private_directory_of_root_is_opened_for_passing_through_only(short_dir: Path) -> None:
    given = short_dir / "given"
    given.mkdir(mode=0o700)
    with fast_server(given) as dsn:
        assert sql(dsn, "select 1") == "1"

    assert mode(given) == 0o711


def test_programs_that_the_server_s_user_cannot_read_are_copied_once(
    data_dir: Path, short_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = short_dir / "shelf"
    monkeypatch.setenv("HOLDFAST_DATA_DIR", str(shelf))
    hidden = hide_programs(short_dir / "root's home")

    with fast_server(data_dir, bin_dir=hidden) as dsn:
        assert sql(dsn, "select 1") == "1"
        program = Path(psutil.Process(server_pid(data_dir)).exe())
        assert program.is_relative_to(shelf / "programs")
        copied = program.stat()
    with fast_server(data_dir, bin_dir=hidden):
        assert Path(psutil.Process(server_pid(data_dir)).exe()) == program
        assert program.stat().st_ino == copied.st_ino
    assert mode(hidden.parents[2]) == 0o700
    assert len([path for path in (shelf / "programs").iterdir() if path.is_dir()]) == 1


def test_the_same_programs_in_two_private_places_are_copied_once(
    data_dir: Path, short_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every clone has a virtual environment of its own, and would leave its own 40 MB behind."""
    shelf = short_dir / "shelf"
    monkeypatch.setenv("HOLDFAST_DATA_DIR", str(shelf))
    for home in ("one", "other"):
        with fast_server(data_dir, bin_dir=hide_programs(short_dir / home)) as dsn:
            assert sql(dsn, "select 1") == "1"

    assert len([path for path in (shelf / "programs").iterdir() if path.is_dir()]) == 1


def test_a_copy_goes_with_the_last_environment_that_it_was_made_from_and_not_under_a_server(
    data_dir: Path, short_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_DATA_DIR", str(short_dir / "shelf"))
    programs = short_dir / "shelf" / "programs"
    first = hide_programs(short_dir / "first")
    other = hide_programs(short_dir / "other")
    with (other / "postgres").open("ab") as program:
        program.write(b"another build")

    with fast_server(data_dir, bin_dir=first):
        (copy,) = filter(Path.is_dir, programs.iterdir())
        shutil.rmtree(short_dir / "first")
        usable_by(server_account.account_for(data_dir), find_binaries(other))
        assert copy.exists()
    usable_by(server_account.account_for(data_dir), find_binaries(other))

    assert not copy.exists()
    assert len([*filter(Path.is_dir, programs.iterdir())]) == 1


def test_a_private_folder_that_is_no_installation_is_refused_and_nothing_of_it_is_copied(
    data_dir: Path, short_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a folder of scripts in root's home directory: private files lie beside it."""
    shelf = short_dir / "shelf"
    monkeypatch.setenv("HOLDFAST_DATA_DIR", str(shelf))
    home = short_dir / "root"
    home.mkdir(mode=0o700)
    (home / "secret").write_text("do not tell")
    programs = wrapped_programs(home / "bin")

    with pytest.raises(EmbeddedError, match=f"cannot run the programs in {programs}.*HOLDFAST_POSTGRES_BIN"):
        fast_server(data_dir, bin_dir=programs).start()
    assert [*short_dir.rglob("secret")] == [home / "secret"]


def hide_programs(home: Path) -> Path:
    """An installation like a wheel's, in a folder that only root can enter."""
    prefix = find_binaries().bin_dir.parent
    package = prefix.parent
    shutil.copytree(
        prefix, home / package.name / prefix.name, ignore=shutil.ignore_patterns("include", "doc")
    )
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, home / libraries.name)
    home.chmod(0o700)
    return home / package.name / prefix.name / "bin"


def test_a_user_s_data_stay_usable_for_the_user_after_root_used_them(short_dir: Path) -> None:
    user = pwd.getpwnam("daemon")
    home = short_dir / "home"
    home.mkdir(mode=0o755)
    os.chown(home, user.pw_uid, user.pw_gid)
    data_dir = home / "data"

    as_user(user, data_dir, "create table kept as select 1 as id")
    with fast_server(data_dir) as dsn:
        assert psutil.Process(server_pid(data_dir)).uids().real == user.pw_uid
        sql(dsn, "insert into kept values (2)")
    as_user(user, data_dir, "insert into kept values (3)")

    with fast_server(data_dir) as dsn:
        assert sql(dsn, "select count(*) from kept") == "3"


def as_user(user: pwd.struct_passwd, data_dir: Path, statement: str) -> None:
    programs = reachable_programs()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setgroups([])
            os.setgid(user.pw_gid)
            os.setuid(user.pw_uid)
            with fast_server(data_dir, bin_dir=programs) as dsn:
                sql(dsn, statement, programs)
            status = 0
        finally:
            os._exit(status)
    _, ended = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(ended) == 0


def test_another_user_cannot_use_root_s_data(data_dir: Path) -> None:
    with pytest.raises(AssertionError):
        as_user(pwd.getpwnam("daemon"), data_dir, "select 1")


def test_a_system_without_an_unprivileged_user_is_told_to_make_one(
    short_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_account, "UNPRIVILEGED", ("no-such-user",))

    with pytest.raises(EmbeddedError, match="useradd"):
        fast_server(short_dir / "data").start()
