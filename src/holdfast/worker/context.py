"""What a handler may know and do about the job that it runs."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from threading import Event
from typing import Any
from uuid import UUID

from holdfast.db import jobs as db_jobs
from holdfast.db import worker as db_worker
from holdfast.db.connect import Database
from holdfast.model.context import Context
from holdfast.model.error import LeaseLost
from holdfast.model.id import JobId, RunId
from holdfast.model.payload import decode, encode
from holdfast.worker.blocking import BlockingContext
from holdfast.worker.running import Running
from holdfast.worker.transaction import JobTransaction


class Services:
    """What attempts share."""

    __slots__ = ("database", "installation", "loop", "run_touched")

    def __init__(self, database: Database, installation: UUID, run_touched: Callable[[], None]) -> None:
        self.database = database
        self.installation = installation
        self.run_touched = run_touched  # called when a job of a run has ended: the run may have, too
        self.loop = asyncio.get_running_loop()


class JobContext(Context):
    """The job at hand. Every write carries the job's token; after a lost lease it raises LeaseLost."""

    __slots__ = ("_checkpoints", "_running", "_services", "cancelled")

    def __init__(self, running: Running, services: Services) -> None:
        self._running = running
        self._services = services
        self._checkpoints: dict[str, Any] | None = None
        self.cancelled = running.cancelled = Event()
        """Set when the attempt was told to stop: is_set(), and wait(seconds) in a thread."""
        if running.stop is not None:
            self.cancelled.set()

    @property
    def id(self) -> JobId:
        return self._running.job.id

    @property
    def task(self) -> str:
        return self._running.job.task

    @property
    def queue(self) -> str:
        return self._running.job.queue

    @property
    def attempt(self) -> int:
        return self._running.job.attempt

    @property
    def failures(self) -> int:
        return self._running.job.failures

    @property
    def labels(self) -> dict[str, Any]:
        return self._running.job.labels

    @property
    def run(self) -> RunId | None:
        return self._running.job.run

    @property
    def stage(self) -> str | None:
        return self._running.job.stage

    @property
    def blocking(self) -> BlockingContext:
        """The same verbs for a handler that is a plain function and runs in a thread."""
        return BlockingContext(self, self._services.loop)

    def idempotency_key(self, step: str = "") -> str:
        """The same for every attempt at this step; another one after a replay or a new visit of the stage."""
        job = self._running.job
        return f"{self._services.installation}:{job.id}:{job.generation}:{job.visit}:{step}"

    def units(self, used: float) -> None:
        """Add to what this attempt has used up."""
        self._running.units = (self._running.units or 0.0) + used

    async def checkpoint(self, name: str, data: Any) -> None:
        """Save partial work under a name; the next attempt finds it."""
        job, text = self._running.job, encode(data)
        self._check(await db_worker.save_checkpoint(self._services.database, job.id, job.token, name, text))
        if self._checkpoints is not None:
            self._checkpoints[name] = decode(text)

    async def checkpoints(self) -> dict[str, Any]:
        """What this job's attempts have saved, by name; read once."""
        if self._checkpoints is None:
            saved = await db_worker.load_checkpoints(self._services.database, self.id)
            self._checkpoints = {name: decode(data) for name, data in saved.items()}
        return self._checkpoints

    async def step(self, name: str, work: Callable[[], Awaitable[Any]]) -> Any:
        """What `work` gave when it was first done; once recorded it is not done again."""
        saved = await self.checkpoints()
        if name not in saved:
            await self.checkpoint(name, await work())
        return saved[name]

    async def progress(
        self, done: int, total: int | None = None, failed: int | None = None, note: str | None = None
    ) -> None:
        """Counts for people; a value that is None stays as it was."""
        job = self._running.job
        database = self._services.database
        self._check(await db_worker.report_progress(database, job.id, job.token, done, total, failed, note))

    async def enqueue(self, task: Any, payload: Any = None, **options: Any) -> JobId:
        """Enqueue a child: a task or its name, its payload, and options in the form of the SQL verb."""
        job = self._running.job
        name = task if isinstance(task, str) else task.name
        fenced = {**options, "parent": str(job.id), "parent_token": str(job.token)}
        text = encode({} if payload is None else payload)
        (child,) = await db_jobs.enqueue_jobs(self._services.database, [name], [text], fenced)
        return child.id

    @asynccontextmanager
    async def transaction(self, output: Any = None) -> AsyncIterator[JobTransaction]:
        """The handler's own writes and the job's completion, committed together or not at all.

        The output is what is given here or set on the block's variable; what the handler returns afterwards
        does not count. Raises LeaseLost, with everything undone, if the job was taken away.
        """
        job = self._running.job
        async with self._services.database.transaction() as connection:
            block = JobTransaction(connection, output)
            yield block
            text = self._running.handler.encode_output(block.output)
            await db_worker.complete_in_transaction(connection, job.id, job.token, text, self._running.units)
        self._running.is_settled = True
        if job.run is not None:
            self._services.run_touched()

    def _check(self, is_ours: bool) -> None:
        if not is_ours:
            raise LeaseLost(f"The job {self.id} is no longer this worker's.")
