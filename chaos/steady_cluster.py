"""A server of its own and workers, without proxies or faults."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from chaos.cluster import ROOT
from holdfast.db.connect import Database
from holdfast.db.maintenance import make_partitions
from holdfast.db.migrate import migrate
from holdfast.embedded import EmbeddedServer
from holdfast.testing.supervisor import Supervisor


@asynccontextmanager
async def start_steady_cluster(
    directory: Path,
    workers: int,
    options: Sequence[str],
    name: str,
    environment: Mapping[str, str] | None = None,
) -> AsyncIterator[tuple[Database, Supervisor]]:
    """`options`: of each worker. `name`: the application name of the connections that check.

    `environment`: additional variables for the workers.
    """
    server = EmbeddedServer(directory)
    url = await asyncio.to_thread(server.start)
    logs = directory / "logs"
    await asyncio.to_thread(logs.mkdir)
    variables = {"HOLDFAST_DATABASE_URL": url, **(environment or {})}
    try:
        async with Database(url, application_name=name) as database:
            async with database.connection() as connection:
                await migrate(connection)
                await make_partitions(connection)
            async with Supervisor(("holdfast", "worker", *options), variables, logs, cwd=ROOT) as supervisor:
                for _ in range(workers):
                    supervisor.start()
                yield database, supervisor
    finally:
        await asyncio.to_thread(server.stop)
