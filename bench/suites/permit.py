"""permit: what flow control costs: claim and complete of one job and of ten, with an endpoint and without.

And what it costs those who do not use it.
"""

import asyncio
import sys
from importlib.metadata import version
from statistics import median

import asyncpg

from bench.result import OURS, Results
from bench.server import fresh_database, server
from bench.suites.beside import beside
from bench.suites.heap_only import heap_only
from bench.turns import Drain
from holdfast.db.migrate import migrate

VERSION = version("holdfast-queue")
TURNS = 300
KINDS = {"plain": {}, "endpoint": {"endpoint": "model"}}


def permit(results: Results, runs: int) -> None:
    with server() as url:
        for run in range(runs):
            print(f"bench: permit, run {run + 1} …", file=sys.stderr)
            with fresh_database(url, f"bench_permit_{run}") as database:
                asyncio.run(_round(results, database))
            beside(results, url)
            heap_only(results, url)


async def _round(results: Results, database: str) -> None:
    connection = await asyncpg.connect(database)
    await migrate(connection)
    await connection.execute("select holdfast.make_partitions()")
    await connection.execute(
        'select holdfast.declare_endpoint(\'model\', \'{"mode": "flow", "min": 64, "max": 64}\')'
    )
    drains = {}
    for kind, options in KINDS.items():
        drains[kind] = Drain(connection, kind)
        await drains[kind].prepare(options, jobs=(TURNS + 20) * 11)
    for size in (1, 10):
        for drain in drains.values():
            await drain.turn(size)
        seconds: dict[str, list[float]] = {kind: [] for kind in KINDS}
        for _ in range(TURNS):  # in turn, so that a noisy moment strikes both
            for kind, drain in drains.items():
                seconds[kind].append(await drain.turn(size))
        for kind, drain in drains.items():
            costs = [await drain.explained(size) for _ in range(10)]
            results.add(OURS, VERSION, f"{kind}_{size}_us", "us/job", 1e6 * median(seconds[kind]) / size)
            results.add(
                OURS, VERSION, f"{kind}_{size}_buffers", "buffers/job", median(c[0] for c in costs) / size
            )
            results.add(
                OURS, VERSION, f"{kind}_{size}_wal_bytes", "bytes/job", median(c[1] for c in costs) / size
            )
    await connection.close()
