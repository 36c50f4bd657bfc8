"""pipeline: what a stage change costs: no-op jobs drained plainly, and through three stages."""

import asyncio
import sys
from importlib.metadata import version
from time import perf_counter

import asyncpg

from bench.result import OURS, Results
from bench.server import fresh_database, server
from holdfast import Holdfast, Pipeline, Stage, Worker
from holdfast.db.migrate import migrate

VERSION = version("holdfast-queue")
STAGES = ("one", "two", "three")


def pipeline(results: Results, runs: int, jobs: int) -> None:
    with server() as url:
        for run in range(runs):
            print(f"bench: pipeline, run {run + 1} …", file=sys.stderr)
            with fresh_database(url, f"bench_plain_{run}") as database:
                plain = asyncio.run(_rate(database, jobs, in_stages=False))
            with fresh_database(url, f"bench_stages_{run}") as database:
                steps = asyncio.run(_rate(database, jobs, in_stages=True))
            results.add(OURS, VERSION, "drain_plain", "jobs/s", plain)
            results.add(OURS, VERSION, "drain_steps", "jobs/s", steps)


async def _rate(database: str, jobs: int, *, in_stages: bool) -> float:
    """Ends per second, of jobs or of stages."""
    connection = await asyncpg.connect(database)
    await migrate(connection)
    await connection.close()
    app = Holdfast(database)

    @app.task()
    async def nothing(n: int) -> None:
        return None

    line = app.pipeline(Pipeline("line", [Stage(name, task=nothing) for name in STAGES]))
    async with app:
        await app.declare()
        entry = line if in_stages else nothing
        await entry.enqueue_many([entry.call(n) for n in range(jobs)])
        began = perf_counter()
        report = await Worker(app, app.queue_names, slots=200, drain=True).run()
        return report.processed / (perf_counter() - began)
