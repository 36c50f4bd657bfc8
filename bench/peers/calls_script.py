"""Holdfast with slow calls: 500 slots in one process, each calling a service that takes its time."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from bench.peers.holdfast_script import Client, HoldfastScript
from bench.peers.script import Handled, main, until_stopped
from holdfast import Holdfast, Worker

SLOTS = 500
TICK = 0.01


def application(url: str, handled: Handled | None = None) -> Holdfast:
    app = Holdfast(url)
    port = int(os.environ["BENCH_PORT"])

    @app.task(name="noop")
    async def noop(n: float) -> str:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"do\n")
        answer = await reader.readline()
        writer.close()
        if handled is not None:
            handled(0.0)
        return answer.decode().strip()

    return app


class CallsScript(HoldfastScript):
    @asynccontextmanager
    async def client(self, url: str, callers: int) -> AsyncIterator[Client]:
        async with application(url) as app:
            yield Client(app)

    async def work(self, url: str, handled: Handled, stop: asyncio.Event) -> None:
        lags: list[float] = []
        watching = asyncio.create_task(_watch_loop(lags))
        async with application(url, handled) as app:
            await handled.begin()
            worker = Worker(app, ["default"], slots=SLOTS)
            running: Any = await until_stopped(worker.run(), stop)
            worker.stop()
            await running
        watching.cancel()
        handled.more["lags"] = lags


async def _watch_loop(lags: list[float]) -> None:
    """By how much the loop is late for a timer."""
    while True:
        began = time.perf_counter()
        await asyncio.sleep(TICK)
        lags.append(time.perf_counter() - began - TICK)


if __name__ == "__main__":
    main(CallsScript())
