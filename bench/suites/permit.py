"""permit: what flow control costs: claim and complete of one job and of ten, with an endpoint and without."""

import asyncio
import json
import sys
from importlib.metadata import version
from statistics import median
from time import perf_counter
from typing import Any
from uuid import UUID, uuid4

import asyncpg

from bench.result import OURS, Results
from bench.server import fresh_database, server
from holdfast.db.migrate import migrate

VERSION = version("holdfast")
BAR = 2.0
TURNS = 300
KINDS = {"plain": {}, "endpoint": {"endpoint": "model"}}
TURN = "holdfast.settle_and_claim($1, $2, $3, $4, $5, $6, $7)"


def permit(results: Results, runs: int) -> None:
    """Misses its bar where a job with an endpoint costs twice as much as one without, or more."""
    with server() as url:
        for run in range(runs):
            print(f"bench: permit, run {run + 1} …", file=sys.stderr)
            with fresh_database(url, f"bench_permit_{run}") as database:
                asyncio.run(_round(results, database))
    for size in (1, 10):
        for unit in ("us", "buffers", "wal_bytes"):
            plain, limited = (results.figures[OURS, f"{kind}_{size}_{unit}"].median for kind in KINDS)
            results.add(OURS, VERSION, f"ratio_{size}_{unit}", "x", limited / plain)
            if limited >= BAR * plain:
                results.missed.append(
                    f"{size} at once, {unit}: {limited / plain:.2f}x, below {BAR}x is wanted"
                )


async def _round(results: Results, database: str) -> None:
    connection = await asyncpg.connect(database)
    await migrate(connection)
    await connection.execute("select holdfast.make_partitions()")
    await connection.execute(
        'select holdfast.declare_endpoint(\'model\', \'{"mode": "flow", "min": 64, "max": 64}\')'
    )
    drains = {}
    for kind, options in KINDS.items():
        drains[kind] = _Drain(connection, kind)
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


class _Drain:
    """A worker of one queue, without handlers: each turn settles what the last one claimed."""

    def __init__(self, connection: "asyncpg.Connection[Any]", queue: str) -> None:
        self._connection = connection
        self._queue = queue
        self._worker = uuid4()
        self._ends: list[tuple[UUID, UUID]] = []

    async def prepare(self, options: dict[str, str], jobs: int) -> None:
        await self._connection.execute(
            "select holdfast.register_worker($1, array[$2], '{\"lease\": 3600}')", self._worker, self._queue
        )
        await self._connection.execute(
            "select count(*) from holdfast.enqueue_jobs("
            "array['noop'], array_fill('{}'::json, array[$1::int]), $2)",
            jobs,
            json.dumps({"queue": self._queue, **options}),
        )

    async def turn(self, size: int) -> float:
        """Seconds for one: what the last turn claimed is completed, as much is claimed."""
        arguments = self._arguments(size)
        began = perf_counter()
        rows = await self._connection.fetch(f"select * from {TURN}", *arguments)
        seconds = perf_counter() - began
        self._take(rows, size)
        return seconds

    async def explained(self, size: int) -> tuple[float, float]:
        """Buffers and bytes of WAL of one turn."""
        text = await self._connection.fetchval(
            f"explain (analyze, buffers, wal, format json) select * from {TURN}", *self._arguments(size)
        )
        plan = json.loads(text)[0]["Plan"]
        rows = await self._connection.fetch(
            "select 'job' as kind, id as job_id, token from holdfast.jobs where worker_id = $1", self._worker
        )
        self._take(rows, size)
        return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"], plan["WAL Bytes"]

    def _arguments(self, size: int) -> tuple[Any, ...]:
        ids, tokens = [e[0] for e in self._ends], [e[1] for e in self._ends]
        nothing = [None] * len(ids)
        return self._worker, size, ids, tokens, ["complete"] * len(ids), nothing, nothing

    def _take(self, rows: list[Any], size: int) -> None:
        self._ends = [(row["job_id"], row["token"]) for row in rows if row["kind"] == "job"]
        if len(self._ends) != size:
            raise RuntimeError(f"{len(self._ends)} jobs claimed of {size} from {self._queue}")
