"""procrastinate under test: psycopg's binary build, a pool, 30 jobs at a time, LISTEN, jobs kept."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from procrastinate import App, PsycopgConnector

from bench.peers.on_psycopg import PsycopgScript
from bench.peers.script import Handled, features, main, options, until_stopped

CONCURRENCY = 30
POOL = 20


def application(url: str, handled: Handled | None = None) -> tuple[App, Any]:
    logging.getLogger("procrastinate").setLevel(logging.ERROR)
    app = App(connector=PsycopgConnector(conninfo=url, min_size=1, max_size=POOL))
    note = handled or (lambda _: None)

    @app.task(name="noop")
    async def noop(n: float) -> None:
        note(n)

    return app, noop


class Client:
    def __init__(self, app: App, noop: Any) -> None:
        self._app = app
        self._noop = noop

    async def one(self, caller: int, sent: float) -> None:
        await self._noop.defer_async(n=sent)

    async def many(self, n: int) -> None:
        """A task's batch gives all jobs the same options; the job manager takes those of each job."""
        if not features():
            await self._noop.batch_defer_async(*({"n": 0.0} for _ in range(n)))
            return
        given = options(n, priority="priority", unique_key="queueing_lock")
        jobs = [self._noop.configure(task_kwargs={"n": 0.0}, **each).job for each in given]
        await self._app.job_manager.batch_defer_jobs_async(jobs)


class ProcrastinateScript(PsycopgScript):
    package = "procrastinate"
    done = (
        "select count(*), extract(epoch from max(at))::float8 from procrastinate_events"
        " where type = 'succeeded'"
    )
    left = "select count(*) from procrastinate_jobs where status in ('todo', 'doing')"
    is_empty = "select not exists (select from procrastinate_jobs where status in ('todo', 'doing'))"

    async def prepare(self, url: str) -> None:
        app, _ = application(url)
        async with app.open_async():
            await app.schema_manager.apply_schema_async()

    @asynccontextmanager
    async def client(self, url: str, callers: int) -> AsyncIterator[Client]:
        app, noop = application(url)
        async with app.open_async():
            yield Client(app, noop)

    async def work(self, url: str, handled: Handled, stop: asyncio.Event) -> None:
        app, _ = application(url, handled)
        manager = app.job_manager
        manager.fetch_job = handled.timed(manager.fetch_job)
        async with app.open_async():
            await handled.begin()
            running = await until_stopped(
                app.run_worker_async(concurrency=CONCURRENCY, install_signal_handlers=False), stop
            )
            running.cancel()  # it finishes its jobs first
            await asyncio.wait([running])


if __name__ == "__main__":
    main(ProcrastinateScript())
