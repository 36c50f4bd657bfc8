"""The PostgreSQL server of a benchmark: its own, with fsync on, and a fresh database for every round."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import asyncpg
import psutil

from bench.unavailable import Unavailable
from holdfast.embedded import EmbeddedServer

# The role that measures: its statements are not counted among those of the system under test.
WATCHER = "watcher"
# A checkpoint in the middle of a round would add full pages to the WAL of the next system: there is one
# before each round instead. Files of the WAL are kept and used again, as on a server that has run for a day:
# while a new one is made, everybody waits.
SETTINGS = {"max_wal_size": "8GB", "min_wal_size": "2GB", "checkpoint_timeout": "1h"}
MEMORY: tuple[str, ...] = ("tmpfs", "ramfs")  # file systems on which fsync does nothing
T = TypeVar("T")
SHOWN = ("server_version", "fsync", "synchronous_commit", "full_page_writes", "shared_buffers", *SETTINGS)


@contextmanager
def server() -> Iterator[str]:
    """A server that lives as long as the block; gives the URL of its first database."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as directory:
        place = Path(directory)
        _refuse_memory(place)
        place.chmod(0o755)  # as root, the server runs as another user and must get in
        with EmbeddedServer(place / "data", settings=SETTINGS) as url:
            asyncio.run(_execute(url, f"create role {WATCHER} superuser login"))
            yield url


@contextmanager
def fresh_database(url: str, name: str) -> Iterator[str]:
    """A database of its own, dropped at the end."""
    asyncio.run(_execute(url, "checkpoint", f'create database "{name}" template template0'))
    try:
        yield in_database(url, name)
    finally:
        asyncio.run(_execute(url, f'drop database "{name}" with (force)'))


def _refuse_memory(place: Path) -> None:
    """A commit that waits for no disk would make every system look quick, and all of them alike."""
    mounts = [mount for mount in psutil.disk_partitions(all=True) if place.is_relative_to(mount.mountpoint)]
    kind = max(mounts, key=lambda mount: len(mount.mountpoint)).fstype if mounts else ""
    if kind in MEMORY:
        raise Unavailable(
            f"{place.parent} is in memory ({kind}), where fsync means nothing;"
            " name a directory on a disk: TMPDIR=/var/tmp ./dev bench …"
        )


def in_database(url: str, name: str) -> str:
    return url.replace("/holdfast?", f"/{name}?", 1)


def watching(url: str) -> str:
    """The same database, as the role that measures."""
    return url.replace("//holdfast@", f"//{WATCHER}@", 1)


def shown_settings(url: str) -> dict[str, str]:
    async def show(connection: "asyncpg.Connection[Any]") -> dict[str, str]:
        return {name: await connection.fetchval("select current_setting($1)", name) for name in SHOWN}

    return on_connection(url, show)


def on_connection(url: str, work: Callable[["asyncpg.Connection[Any]"], Awaitable[T]]) -> T:
    """What `work` gives, with a connection of its own."""

    async def connected() -> T:
        connection = await asyncpg.connect(url)
        try:
            return await work(connection)
        finally:
            await connection.close()

    return asyncio.run(connected())


async def _execute(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()
