"""detail: what each level of the audit trail costs: jobs that complete, and jobs that are rejected."""

import asyncio
import json
import sys
from importlib.metadata import version
from time import perf_counter
from typing import Any
from uuid import uuid4

import asyncpg

from bench.result import OURS, Results
from bench.server import fresh_database, server
from holdfast.db.migrate import migrate

VERSION = version("holdfast-queue")
LEVELS = ("off", "basic", "full")
ENDS = ("complete", "reject")
BATCH = 100
TURN = "select job_id, token from holdfast.settle_and_claim($1, $2, $3, $4, $5, $6, $7) where kind = 'job'"


def detail(results: Results, runs: int, jobs: int) -> None:
    with server() as url:
        for run in range(runs):
            for level in LEVELS:
                print(f"bench: detail, run {run + 1}, {level} …", file=sys.stderr)
                with fresh_database(url, f"bench_{level}_{run}") as database:
                    asyncio.run(_round(results, database, level, jobs))


async def _round(results: Results, database: str, level: str, jobs: int) -> None:
    connection = await asyncpg.connect(database)
    await migrate(connection)
    await connection.execute("select holdfast.make_partitions()")
    for end in ENDS:
        policy = json.dumps({"detail": level})
        await connection.execute("select holdfast.declare_queue($1, $2)", end, policy)
        began = perf_counter()
        await connection.execute(
            "select holdfast.enqueue_jobs(array['noop'], $1, $2)",
            [f'{{"n": {n}}}' for n in range(jobs)],
            json.dumps({"queue": end}),
        )
        results.add(OURS, VERSION, f"enqueue_{level}", "jobs/s", jobs / (perf_counter() - began))
        seconds, wal = await _drain(connection, end)
        results.add(OURS, VERSION, f"{end}_{level}", "jobs/s", jobs / seconds)
        results.add(OURS, VERSION, f"{end}_{level}_wal", "bytes/job", wal / jobs)
    await connection.close()


async def _drain(connection: "asyncpg.Connection[Any]", end: str) -> tuple[float, float]:
    """Seconds and bytes of WAL until all jobs of the queue have ended."""
    worker = uuid4()
    await connection.execute("select holdfast.register_worker($1, $2)", worker, [end])
    start = await connection.fetchval("select pg_current_wal_insert_lsn()")
    began = perf_counter()
    held: list[Any] = []
    while True:
        ids, tokens = [row["job_id"] for row in held], [row["token"] for row in held]
        n = len(held)
        held = await connection.fetch(TURN, worker, BATCH, ids, tokens, [end] * n, [None] * n, [None] * n)
        if not held:
            break
    seconds = perf_counter() - began
    return seconds, float(await connection.fetchval("select pg_current_wal_insert_lsn() - $1::pg_lsn", start))
