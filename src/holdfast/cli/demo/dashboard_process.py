"""A server of the dashboard for one database, as a process of its own."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from holdfast.cli.serve import DEV
from holdfast.model.error import Timeout
from holdfast.testing.supervisor import Supervisor

SERVER = ["holdfast", "serve", "--port", "0"]
LOOK_EVERY = 0.05
PATIENCE = 120.0  # seconds


@asynccontextmanager
async def dashboard_of(url: str, directory: Path) -> AsyncIterator[str]:
    """Its address. Callers on this machine need no access key."""
    environment, logs = {"HOLDFAST_DATABASE_URL": url, DEV: "1"}, logs_in(directory, "dashboard")
    async with Supervisor(SERVER, environment, logs) as supervisor:
        process, began = supervisor.start(), time.monotonic()
        while not (address := process.output.strip()):
            supervisor.check()
            if time.monotonic() - began > PATIENCE:
                raise Timeout("The dashboard did not start.", "try again when the machine is less busy")
            await asyncio.sleep(LOOK_EVERY)
        yield address


def logs_in(directory: Path, name: str) -> Path:
    """Made after the database, which wants its directory for itself at first."""
    logs = directory / "logs" / name
    logs.mkdir(parents=True)
    return logs
