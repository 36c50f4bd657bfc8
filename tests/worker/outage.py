"""Takes a database away and gives it back: nobody can connect, and whoever was connected is thrown out."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import asyncpg


@asynccontextmanager
async def outage(server_url: str, database_url: str) -> AsyncIterator[None]:
    name = urlsplit(database_url).path.lstrip("/")
    admin = await asyncpg.connect(server_url)
    try:
        await admin.execute(f"alter database {name} with allow_connections false")
        await admin.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", name)
        try:
            yield
        finally:
            await admin.execute(f"alter database {name} with allow_connections true")
    finally:
        await admin.close()


async def cut(server_url: str, database_url: str, application_name: str) -> int:
    """Ends the sessions of that name; how many there were."""
    admin = await asyncpg.connect(server_url)
    try:
        found = await admin.fetch(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = $1 and application_name = $2",
            urlsplit(database_url).path.lstrip("/"),
            application_name,
        )
        return len(found)
    finally:
        await admin.close()
