"""Servers, other processes that use them, and programs that misbehave."""

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path

import holdfast
from holdfast.embedded import EmbeddedServer
from holdfast.embedded.find_programs import find_binaries
from holdfast.embedded.ownership import usable_by
from holdfast.embedded.server import START_LIMIT
from holdfast.embedded.server_account import Account, account_for
from tests.patience import PATIENCE

FAST = {"fsync": "off", "shared_buffers": "16MB"}
MAJOR = find_binaries().major

# Joins, says so, and does as told: "stop" leaves, "exit" ends without leaving.
MEMBER = f"""
import sys
from pathlib import Path
from holdfast.embedded import EmbeddedServer

bin_dir = Path(sys.argv[2]) if sys.argv[2:] else None
server = EmbeddedServer(Path(sys.argv[1]), settings={FAST!r}, bin_dir=bin_dir)
print(server.start(), flush=True)
if input() == "stop":
    server.stop()
"""


def fast_server(
    data_dir: Path,
    *,
    settings: Mapping[str, str] | None = None,
    bin_dir: Path | None = None,
    start_limit: timedelta = START_LIMIT,
) -> EmbeddedServer:
    return EmbeddedServer(
        data_dir, settings={**FAST, **(settings or {})}, bin_dir=bin_dir, start_limit=start_limit
    )


def pgdata_of(data_dir: Path) -> Path:
    return data_dir / f"pg{MAJOR}"


def server_account(data_dir: Path) -> Account:
    return account_for(pgdata_of(data_dir))


def reachable_programs() -> Path:
    """The real ones, where every user can run them: the clone may lie where only root can go."""
    return usable_by(account_for(Path("/nowhere")), find_binaries()).bin_dir


def server_pid(data_dir: Path) -> int:
    return int((pgdata_of(data_dir) / "postmaster.pid").read_text().split()[0])


def sql(dsn: str, statement: str, programs: Path | None = None) -> str:
    psql = str((programs or find_binaries().bin_dir) / "psql")
    command = [psql, dsn, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statement]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


def accepts_connections(dsn: str) -> bool:
    isready = find_binaries().bin_dir / "pg_isready"
    return subprocess.run([isready, "-q", "-d", dsn], check=False).returncode == 0


def start_member(data_dir: Path, bin_dir: Path | None = None) -> subprocess.Popen[str]:
    arguments = [data_dir, *([bin_dir] if bin_dir else [])]
    return subprocess.Popen(
        [sys.executable, "-c", MEMBER, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=with_source(),
    )


def joined(member: subprocess.Popen[str]) -> str:
    """Waits until the member has joined; gives its DSN."""
    assert member.stdout is not None
    return member.stdout.readline().strip()


def tell(member: subprocess.Popen[str], word: str) -> None:
    member.communicate(f"{word}\n", timeout=PATIENCE)
    assert member.returncode == 0


def kill(member: subprocess.Popen[str]) -> None:
    member.kill()
    member.communicate(timeout=PATIENCE)


def with_source(**variables: str) -> dict[str, str]:
    """The environment of a child that finds this checkout's package, installed or not."""
    assert holdfast.__file__ is not None
    source = str(Path(holdfast.__file__).parents[1])
    path = os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, **variables}


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def wrapped_programs(directory: Path, *, postgres: str = "", initdb: str = "") -> Path:
    """A bin directory whose programs run a line of shell before they become the real ones.

    The line for postgres runs only when it is to be a server.
    """
    directory.mkdir()
    programs = reachable_programs()
    server_only = f'case "$1" in -D) {postgres or ":"} ;; esac'
    for name, line in (
        ("postgres", server_only),
        ("initdb", f'case "$1" in --pgdata) {initdb or ":"} ;; esac'),
    ):
        program = directory / name
        real = shlex.quote(str(programs / name))
        program.write_text(f'#!/bin/sh\n{line}\nexec {real} "$@"\n')
        program.chmod(0o755)
    return directory
