"""The server for tests: one for all of this user, stopped by the last process that used it."""

import os
import tempfile
from functools import cache
from pathlib import Path

from holdfast.embedded import EmbeddedError, EmbeddedServer
from holdfast.model.error import DatabaseUnavailable

VARIABLE = "HOLDFAST_TEST_DATABASE_URL"

# Tests check logic, not the disk: without syncing they take a third of the time.
SETTINGS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "300"}


def find_server() -> str:
    """Of the server that HOLDFAST_TEST_DATABASE_URL names, else of an embedded one."""
    return os.environ.get(VARIABLE) or _embedded_url()


@cache
def _embedded_url() -> str:
    """Runs until this process ends; a server per test would cost a second each."""
    directory = Path(tempfile.gettempdir()) / f"holdfast-testing-{os.getuid()}"
    try:
        return EmbeddedServer(directory, settings=SETTINGS).start()
    except EmbeddedError as exc:
        raise DatabaseUnavailable(str(exc), f"set {VARIABLE} to a server for tests") from exc
