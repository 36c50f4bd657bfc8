"""Holdfast under test: one no-op task, uvloop, as many slots as a batch."""

import importlib.metadata
import json
import sys
import time
from typing import Any

import asyncpg
import uvloop

from holdfast import Holdfast, Worker
from holdfast.db.migrate import migrate

SLOTS = 1000


def application(url: str) -> Holdfast:
    app = Holdfast(url)

    @app.task(name="noop")
    async def noop(n: int) -> None:
        return None

    return app


async def prepare(url: str, _: int) -> dict[str, Any]:
    connection = await asyncpg.connect(url)
    await migrate(connection)
    await connection.execute("select holdfast.make_partitions()")
    await connection.close()
    return {"version": importlib.metadata.version("holdfast")}


async def enqueue(url: str, jobs: int) -> dict[str, Any]:
    async with application(url) as app:
        noop = app.tasks["noop"]
        calls = [noop.call(n=n) for n in range(jobs)]
        began = time.perf_counter()
        await noop.enqueue_many(calls)
        return {"seconds": time.perf_counter() - began}


async def drain(url: str, _: int) -> dict[str, Any]:
    async with application(url) as app:
        began = time.time()
        report = await Worker(app, ["default"], slots=SLOTS, drain=True).run()
        return {"began": began, "done": report.processed}


async def count(url: str, _: int) -> dict[str, Any]:
    connection = await asyncpg.connect(url)
    done = await connection.fetchval("select count(*) from holdfast.history where state = 'completed'")
    last = await connection.fetchval("select extract(epoch from max(ended_at))::float8 from holdfast.history")
    left = await connection.fetchval("select count(*) from holdfast.jobs")
    await connection.close()
    return {"done": done, "left": left, "last": last}


async def main(command: str, url: str, jobs: int = 0) -> None:
    commands = {"prepare": prepare, "enqueue": enqueue, "drain": drain, "count": count}
    print(json.dumps(await commands[command](url, jobs)))


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])))
