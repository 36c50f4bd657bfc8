"""Holdfast with its features in use: those that BENCH_FEATURES names."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import count
from typing import Any

from bench.peers.holdfast_script import SLOTS, HoldfastScript
from bench.peers.script import PRIORITIES, Handled, features, main, until_stopped
from holdfast import Holdfast, JobContext, Retry, Run, Worker

FEATURES = features()
QUEUES = [f"queue-{n}" for n in range(20)] if "queues" in FEATURES else ["default"]
RUNS = 10
ONE_IN = 20  # fails, the first time
RULES = 10


def application(url: str, handled: Handled | None = None) -> Holdfast:
    app = Holdfast(url)
    for queue in QUEUES:
        app.queue(queue)

    async def plain(n: int) -> None:
        assert handled is not None
        handled(0.0)

    async def failing(n: int, job: JobContext) -> None:
        assert handled is not None
        if n % ONE_IN == 0 and job.attempt == 1:
            raise Retry("the first time")
        handled(0.0)

    handler: Any = failing if "failures" in FEATURES else plain
    app.task(name="noop", retry=["100ms", "100ms"])(handler)
    return app


class Client:
    def __init__(self, app: Holdfast) -> None:
        self._app = app
        self._noop: Any = app.tasks["noop"]
        self._numbers = count(1)

    async def one(self, caller: int, sent: float) -> None:
        await self._noop.enqueue(n=next(self._numbers))

    async def many(self, n: int) -> None:
        """Also the options are made here: they are what the features cost."""
        numbers = range(n)
        if "runs" not in FEATURES:
            await self._noop.enqueue_many(self._call(number, None) for number in numbers)
            return
        for first in range(RUNS):
            async with self._app.run(f"run {first}") as run:
                await self._noop.enqueue_many(self._call(number, run) for number in numbers[first::RUNS])

    def _call(self, n: int, run: Run | None) -> Any:
        given: dict[str, Any] = {}
        if "queues" in FEATURES:
            given["queue"] = QUEUES[n % len(QUEUES)]
        if "priorities" in FEATURES:
            given["priority"] = PRIORITIES[n % len(PRIORITIES)]
        if "unique" in FEATURES:
            given["unique_key"] = f"key-{n}"
        if run is not None:
            given["run"] = run
        return (self._noop.options(**given) if given else self._noop).call(n=n)


class MixedScript(HoldfastScript):
    @asynccontextmanager
    async def client(self, url: str, callers: int) -> AsyncIterator[Any]:
        async with application(url) as app:
            await app.declare()
            if "rules" in FEATURES:
                await _add_rules(app)
            yield Client(app)

    async def work(self, url: str, handled: Handled, stop: asyncio.Event) -> None:
        # The line of each failed job is made as usual; a terminal that shows it would slow the worker down.
        logging.basicConfig(filename=os.devnull)
        async with application(url, handled) as app:
            await handled.begin()
            worker = Worker(app, QUEUES, slots=SLOTS)
            reading = asyncio.create_task(_read_progress(app))
            running = await until_stopped(worker.run(), stop)
            worker.stop()
            await running
            reading.cancel()
            with suppress(asyncio.CancelledError):
                await reading


async def _add_rules(app: Holdfast) -> None:
    """Each job matches one that scores and one that routes."""
    for n in range(RULES - 1):
        await app.rules.set_rule(
            "task", "noop", f"score {n}", condition=f"$.payload.n % {RULES - 1} == {n}", points=n
        )
    await app.rules.set_rule("task", "noop", "route", condition="$.payload.n >= 0", queue=QUEUES[0])


async def _read_progress(app: Holdfast) -> None:
    """As a progress bar would, five times a second for one of the runs."""
    if "runs" not in FEATURES:
        return
    rows = await app.database.fetch("select id from holdfast.runs order by id limit 1")
    while True:
        await app.find_run(rows[0]["id"]).progress()
        await asyncio.sleep(0.2)


if __name__ == "__main__":
    main(MixedScript())
