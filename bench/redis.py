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

# The server's program is in redis-tools; the others are libraries that a bare system may lack.
PACKAGES = ("redis-server", "redis-tools", "libjemalloc2", "liblzf1", "libatomic1")
UNPACKED = PLACE / "debian"


@contextmanager
def redis_server() -> Iterator[str]:
    """Appends to its file at once and syncs it every second, as with most who keep jobs in it."""
    program, libraries = _find()
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-redis-") as directory:
        port = _free_port()
        options = {"--port": str(port), "--dir": directory, "--save": "", "--appendonly": "yes"}
        options |= {"--appendfsync": "everysec", "--bind": "127.0.0.1", "--logfile": f"{directory}/log"}
        process = subprocess.Popen(
            [program, *(word for pair in options.items() for word in pair)],
            env=os.environ | {"LD_LIBRARY_PATH": str(libraries)},
        )
        try:
            _wait(process, port)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            process.terminate()
            process.wait()


def _find() -> tuple[Path, Path]:
    """The system's own, or Debian's packages, unpacked without being installed."""
    if installed := shutil.which("redis-server"):
        return Path(installed), UNPACKED
    program = UNPACKED / "usr" / "bin" / "redis-server"
    if not program.exists():
        print("bench: unpacking Debian's Redis …", file=sys.stderr)
        UNPACKED.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "download", "-qq", *PACKAGES], check=True, cwd=UNPACKED, stdout=sys.stderr)
        for package in UNPACKED.glob("*.deb"):
            subprocess.run(["dpkg", "-x", package, UNPACKED], check=True)
    return program, next((UNPACKED / "usr" / "lib").glob("*-linux-*"))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait(process: "subprocess.Popen[bytes]", port: int) -> None:
    for _ in range(500):
        if process.poll() is not None:
            raise RuntimeError(f"Redis ended with exit code {process.returncode}")
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.01)
    raise RuntimeError("Redis takes no connections")
