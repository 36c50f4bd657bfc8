"""The PostgreSQL server of a benchmark: its own, with fsync on, and a fresh database for every round."""

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg

from holdfast.embedded import EmbeddedServer


@contextmanager
def server() -> Iterator[str]:
    """A server that lives as long as the block; gives the URL of its first database."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as directory:
        place = Path(directory)
        place.chmod(0o755)  # as root, the server runs as another user and must get in
        with EmbeddedServer(place / "data") as url:
            yield url


@contextmanager
def fresh_database(url: str, name: str) -> Iterator[str]:
    """A database of its own, dropped at the end."""
    asyncio.run(_execute(url, f'create database "{name}"'))
    try:
        yield url.replace("/holdfast?", f"/{name}?", 1)
    finally:
        asyncio.run(_execute(url, f'drop database "{name}" with (force)'))


def setting(url: str, name: str) -> str:
    return asyncio.run(_show(url, name))


async def _execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


async def _show(url: str, name: str) -> str:
    connection = await asyncpg.connect(url)
    try:
        value: str = await connection.fetchval("select current_setting($1)", name)
        return value
    finally:
        await connection.close()
