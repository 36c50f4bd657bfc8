"""Distinguishes our live server from a stale pid, an invalid pid file and a process with a reused pid."""

import os
import signal
import subprocess
import time
from datetime import timedelta
from pathlib import Path

from holdfast.embedded.embedded_error import EmbeddedError
from holdfast.embedded.socket_probe import listener_pid

STOP_LIMIT = timedelta(seconds=120)


def find_postmaster(pgdata: Path, socket: Path) -> int | None:
    """The pid of the server that runs on this data, checked by its process, not by its pid file alone."""
    for pid in (_written_pid(pgdata), listener_pid(socket)):
        if pid is not None and is_postmaster(pid, pgdata):
            return pid
    return None


def says_it_is_starting(pgdata: Path) -> bool:
    """The server writes its state in line 8 of its pid file; true only if that server is alive."""
    pid = _written_pid(pgdata)
    return _pid_file_lines(pgdata)[7:8] == [b"starting"] and pid is not None and is_postmaster(pid, pgdata)


def disown_pid_file(pgdata: Path) -> None:
    """Makes a dead server's file harmless by writing our pid into it; a server ignores its parent's pid.

    It is not removed: it also names the dead server's shared memory, by which postgres knows
    whether a backend of that server still writes to these data.
    """
    path = pgdata / "postmaster.pid"
    if _written_pid(pgdata) is None:
        path.unlink(missing_ok=True)
        return
    text = b"\n".join([str(os.getpid()).encode(), *path.read_bytes().splitlines()[1:], b""])
    descriptor = os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW)
    with os.fdopen(descriptor, "wb") as file:
        file.write(text)


def is_postmaster(pid: int, pgdata: Path) -> bool:
    if Path("/proc/self/cwd").exists():
        return _is_postmaster_by_proc(Path(f"/proc/{pid}"), pgdata)
    return _is_postmaster_by_ps(pid, pgdata)


def stop_postmaster(pid: int, pgdata: Path) -> None:
    """Fast shutdown: ends sessions, writes a checkpoint. Returns when the process is gone."""
    os.kill(pid, signal.SIGINT)
    deadline = time.monotonic() + STOP_LIMIT.total_seconds()
    while is_postmaster(pid, pgdata):
        if time.monotonic() > deadline:
            raise EmbeddedError(
                f"PostgreSQL (pid {pid}) has not ended within {STOP_LIMIT.total_seconds():.0f} s. "
                f"See its log in {pgdata / 'log'}."
            )
        time.sleep(0.01)


def _written_pid(pgdata: Path) -> int | None:
    first = (*_pid_file_lines(pgdata), b"")[0]
    return int(first) if first.isdigit() and 0 < int(first) < 2**31 else None


def _pid_file_lines(pgdata: Path) -> list[bytes]:
    try:
        lines = (pgdata / "postmaster.pid").read_bytes().splitlines()
    except FileNotFoundError:
        return []
    return [line.strip() for line in lines]


def _is_postmaster_by_proc(process: Path, pgdata: Path) -> bool:
    """Its children work in the same directory but call themselves "postgres: checkpointer" and so on."""
    try:
        program = (process / "cmdline").read_bytes().split(b"\0")[0]
        directory = (process / "cwd").readlink()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return False
    return program.rpartition(b"/")[2] in (b"postgres", b"postmaster") and directory == pgdata


def _is_postmaster_by_ps(pid: int, pgdata: Path) -> bool:
    answer = subprocess.run(
        ["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return f"postgres -D {pgdata} " in answer.stdout
