"""The server's log: files by the hour in the data directory, each overwritten a day later."""

import re
import time
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from holdfast.embedded.server_paths import ServerPaths

KEPT_FOR = timedelta(days=1)
KEPT_BYTES = 16 * 1024 * 1024
TAIL_BYTES = 64 * 1024
HANDOVER = re.compile("redirecting log output to logging collector|Future log output will appear")
DRAIN_LIMIT = timedelta(seconds=2)

LOG_SETTINGS: Mapping[str, str] = {
    "logging_collector": "on",
    "log_directory": "log",
    "log_filename": "server-%H.log",
    "log_rotation_age": "1h",
    "log_rotation_size": "0",
    "log_truncate_on_rotation": "on",
    "log_line_prefix": "%m [%p] ",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    # A failed statement reaches its caller anyway; here it would put payloads on disk.
    "log_min_error_statement": "panic",
}


def trim(place: ServerPaths) -> None:
    """The collector overwrites only while it runs; a server that runs briefly every day would append."""
    oldest = time.time() - KEPT_FOR.total_seconds()
    for path in (place.pgdata / "log").glob("server-*.log"):
        status = path.lstat()
        if status.st_mtime < oldest or status.st_size > KEPT_BYTES:
            path.unlink()


def tail(place: ServerPaths, lines: int) -> str:
    """The end of the newest file, then always the output that the collector did not write."""
    outside = [line for line in _end_of(place.start_log) if not HANDOVER.search(line)]
    files = sorted((place.pgdata / "log").glob("server-*.log"), key=lambda path: path.stat().st_mtime)
    logged = _end_of(files[-1]) if files else []
    room = max(lines - len(outside), 0)
    return "\n".join([*logged[max(len(logged) - room, 0) :], *outside[-lines:]])


def tail_after_exit(place: ServerPaths, pid: int, lines: int) -> str:
    """The collector writes its last lines a moment after the server's end, so this waits to see them."""
    last_words = re.compile(rf"\[{pid}\] (FATAL|PANIC|LOG:  database system is shut down)")
    deadline = time.monotonic() + DRAIN_LIMIT.total_seconds()
    while not last_words.search(text := tail(place, lines)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return text


def _end_of(path: Path) -> list[str]:
    if not path.exists():
        return []
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - TAIL_BYTES))
        return file.read().decode(errors="replace").splitlines()
