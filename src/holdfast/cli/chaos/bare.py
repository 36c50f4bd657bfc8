"""A server of its own and workers, with nothing in between."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from holdfast.cli.crew import Crew
from holdfast.db.chores import make_partitions
from holdfast.db.connect import Database
from holdfast.db.migrate import migrate
from holdfast.embedded import EmbeddedServer


@asynccontextmanager
async def bare(
    directory: Path, workers: int, options: Sequence[str], name: str, told: Mapping[str, str] | None = None
) -> AsyncIterator[tuple[Database, Crew]]:
    """`options`: what each worker is given. `name`: how the judge's connections are called.
    `told`: what else the workers find in their environment.
    """
    server = EmbeddedServer(directory)
    url = await asyncio.to_thread(server.start)
    logs = directory / "logs"
    await asyncio.to_thread(logs.mkdir)
    try:
        async with Database(url, application_name=name) as database:
            async with database.connection() as connection:
                await migrate(connection)
                await make_partitions(connection)
            async with Crew(options, {"HOLDFAST_DATABASE_URL": url, **(told or {})}, logs) as crew:
                for _ in range(workers):
                    crew.start()
                yield database, crew
    finally:
        await asyncio.to_thread(server.stop)
