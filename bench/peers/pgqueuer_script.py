"""pgqueuer under test: asyncpg, uvloop, large batches, drain mode."""

import importlib.metadata
import json
import sys
import time
from typing import Any

import asyncpg
import uvloop
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer.models import Job
from pgqueuer.queries import Queries
from pgqueuer.types import QueueExecutionMode

BATCH = 500


async def prepare(connection: asyncpg.Connection, _: int) -> dict[str, Any]:
    await Queries(AsyncpgDriver(connection)).install()
    return {"version": importlib.metadata.version("pgqueuer")}


async def enqueue(connection: asyncpg.Connection, jobs: int) -> dict[str, Any]:
    payloads = [b'{"n": %d}' % n for n in range(jobs)]
    began = time.perf_counter()
    await Queries(AsyncpgDriver(connection)).enqueue(["noop"] * jobs, payloads, [0] * jobs)
    return {"seconds": time.perf_counter() - began}


async def drain(connection: asyncpg.Connection, _: int) -> dict[str, Any]:
    manager = PgQueuer(AsyncpgDriver(connection))
    done = 0

    @manager.entrypoint("noop")
    async def noop(job: Job) -> None:
        nonlocal done
        done += 1

    began = time.time()
    await manager.run(batch_size=BATCH, mode=QueueExecutionMode.drain)
    return {"began": began, "done": done}


async def count(connection: asyncpg.Connection, _: int) -> dict[str, Any]:
    left = await connection.fetchval("select count(*) from pgqueuer")
    done = await connection.fetchval("select count(*) from pgqueuer_log where status = 'successful'")
    last = await connection.fetchval(
        "select extract(epoch from max(created))::float8 from pgqueuer_log where status = 'successful'"
    )
    return {"done": done, "left": left, "last": last}


async def main(command: str, url: str, jobs: int = 0) -> None:
    connection = await asyncpg.connect(url)
    commands = {"prepare": prepare, "enqueue": enqueue, "drain": drain, "count": count}
    print(json.dumps(await commands[command](connection, jobs)))


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])))
