"""The server for tests: one for all of this user, stopped by the last process that used it."""

import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from holdfast.embedded import EmbeddedError, EmbeddedServer
from holdfast.model.error import DatabaseUnavailable

VARIABLE = "HOLDFAST_TEST_DATABASE_URL"

# Tests check logic, not the disk: without syncing they take a third of the time. Autovacuum would visit
# hundreds of databases that live for seconds, and make a session plan its statements again at any moment.
SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "300",
    "autovacuum_naptime": "1d",
}


# A new database is some hundred small files: in memory that takes 15 ms, on a slow disk half a second.
MEMORY = Path("/dev/shm")
MEMORY_NEEDED = 8 * 1024**3


def find_server() -> str:
    """Of the server that HOLDFAST_TEST_DATABASE_URL names, else of an embedded one."""
    return os.environ.get(VARIABLE) or _embedded_url()


@cache
def _embedded_url() -> str:
    """Runs until this process ends; a server per test would cost a second each."""
    try:
        return EmbeddedServer(place_for("holdfast-testing"), settings=SETTINGS).start()
    except EmbeddedError as exc:
        raise DatabaseUnavailable(str(exc), f"set {VARIABLE} to the URL of a server for tests") from exc


def place_for(name: str) -> Path:
    """This user's directory of that name: where TMPDIR says, else in memory if there is plenty of it."""
    is_roomy = (
        "TMPDIR" not in os.environ
        and os.access(MEMORY, os.W_OK)
        and shutil.disk_usage(MEMORY).free >= MEMORY_NEEDED
    )
    return (MEMORY if is_roomy else Path(tempfile.gettempdir())) / f"{name}-{os.getuid()}"
