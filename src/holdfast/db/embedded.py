"""Starts the embedded server when no database is configured; the process that starts it says so."""

import os
import sys

from holdfast.embedded import EmbeddedError, EmbeddedServer
from holdfast.model.error import DatabaseUnavailable
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event

# In the environment of processes whose parent has said that there is an embedded server.
ANNOUNCED = "HOLDFAST_EMBEDDED_ANNOUNCED"


def start_embedded() -> tuple[EmbeddedServer, str]:
    """The running server and its URL; several processes share one, and the last to exit stops it."""
    try:
        server = EmbeddedServer()
        if server.postmaster_pid is None:
            _announce(server)
        url = server.start()
    except EmbeddedError as exc:
        raise DatabaseUnavailable(str(exc), "to use your own server, set HOLDFAST_DATABASE_URL") from exc
    emit(Event.EMBEDDED_STARTED, directory=server.data_dir)
    return server, url


def _announce(server: EmbeddedServer) -> None:
    """Once for this process and for its children, which inherit the variable."""
    if not os.environ.get(ANNOUNCED):
        os.environ[ANNOUNCED] = "1"
        sys.stderr.write(f"holdfast: no database is set, using the embedded one in {server.data_dir}\n")


def find_psql() -> str | None:
    """The psql that came with the embedded server's programs, if there is one."""
    try:
        return str(EmbeddedServer().psql_path)
    except EmbeddedError:
        return None
