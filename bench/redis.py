"""A Redis server for the peers that need one: Debian's package, started on a free port and ended again."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bench.peers.environment import PLACE
from bench.unavailable import Unavailable, last_line

# The server's program is in redis-tools; the others are libraries that a bare system may lack.
PACKAGES = ("redis-server", "redis-tools", "libjemalloc2", "liblzf1", "libatomic1")
UNPACKED = PLACE / "debian"
LEAVE_OUT = "leave out the peers that need it: run without --redis"


@contextmanager
def redis_server() -> Iterator[str]:
    """Appends to its file at once and syncs it every second, as with most who keep jobs in it."""
    program, libraries = _find()
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-redis-") as directory:
        port = _free_port()
        options = {"--port": str(port), "--dir": directory, "--save": "", "--appendonly": "yes"}
        options |= {"--appendfsync": "everysec", "--bind": "127.0.0.1"}
        # Its file is not rewritten in the middle of a round, as PostgreSQL makes no checkpoint there.
        options |= {"--auto-aof-rewrite-percentage": "0"}
        log = Path(directory, "log")
        with log.open("wb") as output:
            process = subprocess.Popen(
                [program, *(word for pair in options.items() for word in pair)],
                env=os.environ | {"LD_LIBRARY_PATH": str(libraries)},
                stdout=output,
                stderr=output,
            )
        try:
            _wait(process, port, log)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            process.terminate()
            process.wait()


def _find() -> tuple[Path, Path]:
    """The system's own, or Debian's packages, unpacked without being installed."""
    if installed := shutil.which("redis-server"):
        return Path(installed), UNPACKED
    if not (found := _unpacked()):
        print("bench: unpacking Debian's Redis …", file=sys.stderr)
        UNPACKED.mkdir(parents=True, exist_ok=True)
        _run("apt-get", "download", "-qq", *PACKAGES)
        for package in UNPACKED.glob("*.deb"):
            _run("dpkg", "-x", str(package), str(UNPACKED))
        found = _unpacked()
    if not found:
        raise Unavailable(f"cannot install Redis: {', '.join(PACKAGES)} do not contain it; {LEAVE_OUT}")
    return found


def _unpacked() -> tuple[Path, Path] | None:
    """The program and its libraries, if both are there."""
    program = UNPACKED / "usr" / "bin" / "redis-server"
    libraries = next((UNPACKED / "usr" / "lib").glob("*-linux-*"), None)
    return (program, libraries) if libraries and program.exists() else None


def _run(*words: str) -> None:
    try:
        ran = subprocess.run(words, check=False, cwd=UNPACKED, capture_output=True, text=True)
    except OSError as error:
        raise Unavailable(f"cannot install Redis: {error}; {LEAVE_OUT}") from error
    if ran.returncode:
        raise Unavailable(
            f"cannot install Redis: {words[0]}: {last_line(ran.stdout + ran.stderr)}; {LEAVE_OUT}"
        )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    for _ in range(500):
        if process.poll() is not None:
            raise Unavailable(
                f"Redis ended with exit code {process.returncode}; {LEAVE_OUT}. It said:\n{_tail(log)}"
            )
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.01)
    raise Unavailable(f"Redis takes no connections; {LEAVE_OUT}. It said:\n{_tail(log)}")


def _tail(log: Path, lines: int = 10) -> str:
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
