"""chancy under test: asynchronous executor, 1,000 at a time, eager polling, ends sent 20 times a second.

Its plugins for metrics and workflows are left out, its pruner, too, which would delete what is counted.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from chancy import Chancy, Queue, Worker, job
from chancy.plugins.leadership import Leadership
from chancy.plugins.recovery import Recovery

from bench.peers.on_psycopg import PsycopgScript
from bench.peers.script import Handled, main, options

CONCURRENCY = 1000
SEND_SECONDS = 0.05
_handled: list[Handled] = []


@job(queue="bench")
async def noop(n: float) -> None:
    _handled[0](n)


def application(url: str) -> Chancy:
    log = logging.getLogger("chancy")
    log.setLevel(logging.ERROR)
    return Chancy(
        url,
        plugins=[Leadership(), Recovery()],
        no_default_plugins=True,
        max_connection_pool_size=20,
        log=log,
    )


class Client:
    def __init__(self, app: Chancy) -> None:
        self._app = app

    async def one(self, caller: int, sent: float) -> None:
        await self._app.push(noop.job.with_kwargs(n=sent))

    async def many(self, n: int) -> None:
        """One `replace` for all options of a job, where each `with_…` would make a copy of its own."""
        given = options(n, priority="priority", unique_key="unique_key")
        calls = [replace(noop.job, kwargs={"n": 0.0}, **each) for each in given]
        async for _ in self._app.push_many(calls, batch_size=5000):
            pass


class ChancyScript(PsycopgScript):
    package = "chancy"
    # Its completed_at is the worker's word from before the end is sent: when it was seen here counts.
    done = "select count(*), null::float8 from chancy_jobs where state = 'succeeded'"
    left = "select count(*) from chancy_jobs where state not in ('succeeded', 'failed')"
    is_empty = "select not exists (select from chancy_jobs where state not in ('succeeded', 'failed'))"

    async def prepare(self, url: str) -> None:
        async with application(url) as app:
            await app.migrate()
            await app.declare(
                Queue(
                    "bench",
                    concurrency=CONCURRENCY,
                    executor=Chancy.Executor.Async,
                    polling_interval=1,
                    eager_polling=True,
                )
            )

    @asynccontextmanager
    async def client(self, url: str, callers: int) -> AsyncIterator[Client]:
        async with application(url) as app:
            yield Client(app)

    async def work(self, url: str, handled: Handled, stop: asyncio.Event) -> None:
        _handled.append(handled)
        async with application(url) as app:
            await handled.begin()
            worker = Worker(app, register_signal_handlers=False)
            worker.send_outgoing_interval = SEND_SECONDS
            async with worker:
                await stop.wait()


if __name__ == "__main__":
    main(ChancyScript())
