"""What a handler may know and do about the job that it runs."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from math import isfinite
from threading import Event
from time import monotonic
from typing import Any, overload
from uuid import UUID

from holdfast.db import calls as db_calls
from holdfast.db import jobs as db_jobs
from holdfast.db import transaction as db_transaction
from holdfast.db import worker as db_worker
from holdfast.db.connect import Database
from holdfast.db.errors import conflicts_translated
from holdfast.model.call import NewCall
from holdfast.model.error import LeaseLost
from holdfast.model.id import JobId, RunId
from holdfast.model.payload import decode, encode
from holdfast.pipeline.models import Models, StageModels
from holdfast.worker.blocking import BlockingContext
from holdfast.worker.forked import Home
from holdfast.worker.journey import Journey
from holdfast.worker.loaded import Loaded
from holdfast.worker.resources import NONE, existing
from holdfast.worker.running import Running
from holdfast.worker.tasks import WorkerTask
from holdfast.worker.transaction import JobTransaction, complete
from holdfast.worker.unnamed import RESUME_DATA, UNNAMED


class Services:
    """What attempts share."""

    __slots__ = (
        "cancels_at",
        "database",
        "home",
        "installation",
        "loop",
        "models",
        "resources",
        "run_touched",
        "tasks",
    )

    def __init__(
        self,
        database: Database,
        installation: UUID,
        run_touched: Callable[[], None],
        cancels_at: float | None = None,
        models: StageModels | None = None,
        tasks: Mapping[str, WorkerTask] | None = None,
        resources: Any = NONE,
    ) -> None:
        self.resources = resources
        self.tasks = tasks or {}
        self.models = models or StageModels()  # what the outputs of stages must fit
        self.cancels_at = cancels_at  # when the worker's time box makes it cancel what runs
        self.database = database
        self.installation = installation
        self.run_touched = run_touched  # called when a job of a run has ended: the run may have, too
        self.loop = asyncio.get_running_loop()
        self.home = Home()


class JobContext(Journey):
    """The job at hand. Every write carries the job's token; after a lost lease it raises LeaseLost."""

    __slots__ = ("_checkpoints", "_running", "_services", "cancelled", "should_yield")

    def __init__(self, running: Running, services: Services) -> None:
        self._running = running
        self._services = services
        self._checkpoints: dict[str, Any] | None = None
        self._set_out()
        self.cancelled = running.cancelled = Event()
        """Set when the attempt was told to stop: is_set(), and wait(seconds) in a thread."""
        if running.stop is not None:
            self.cancelled.set()
        self.should_yield = running.should_yield = Event()
        """Set when the worker is about to leave: save a checkpoint and raise Yield, or finish soon."""

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
    def generation(self) -> int:
        """Which life of the job: a replay starts the next one."""
        return self._running.job.generation

    @property
    def labels(self) -> dict[str, Any]:
        return self._running.job.labels

    @property
    def run(self) -> RunId | None:
        return self._running.job.run

    @property
    def endpoint(self) -> str | None:
        """The endpoint to call: the job's own, or the fallback of that while it is down."""
        return self._running.job.endpoint

    @property
    def endpoint_ok(self) -> bool | None:
        """Whether the endpoint did well in the last call; None: nothing is known.

        Set it to True after a good answer: an attempt that fails then is the job's own failure. What an
        exception itself tells goes before it.
        """
        return self._running.endpoint_ok

    @endpoint_ok.setter
    def endpoint_ok(self, said: bool | None) -> None:
        self._running.endpoint_ok = said

    @property
    def stage(self) -> str | None:
        return self._running.job.stage

    @property
    def resources(self) -> Any:
        """What the app's `@app.resources` yields; opened once by this worker, or by this child process."""
        return existing(self._services.resources)

    @property
    def blocking(self) -> BlockingContext:
        """The same verbs for a handler that is a plain function and runs in a thread."""
        return BlockingContext(self, self._services.loop)

    def time_left(self) -> timedelta | None:
        """Until the attempt is cancelled by its timeout or by its worker's time box; None if by neither."""
        running, limit = self._running, self._running.job.stop_after
        ends = [] if limit is None else [running.began + limit.total_seconds()]
        if self._services.cancels_at is not None:
            ends.append(self._services.cancels_at)
        return timedelta(seconds=max(0.0, min(ends) - monotonic())) if ends else None

    def idempotency_key(self, step: str = "") -> str:
        """The same for every attempt at this step; another one after a replay or a new visit of the stage."""
        job = self._running.job
        return f"{self._services.installation}:{job.id}:{job.generation}:{job.visit}:{step}"

    def units(self, used: float) -> None:
        """Add to what this attempt has used up; it counts however the attempt ends."""
        if not (isfinite(used) and used >= 0):
            raise ValueError(f"units must be a finite number, 0 or more (got {used!r})")
        self._running.units = (self._running.units or 0.0) + used

    @property
    def resume_data(self) -> "Loaded[Any]":
        """`await ctx.resume_data`: what `checkpoint(data)` saved last, or None; read at first use."""
        return Loaded("resume_data", self._resume_data)

    @overload
    async def checkpoint(self, data: Any, /) -> None: ...

    @overload
    async def checkpoint(self, name: str, data: Any) -> None: ...

    async def checkpoint(self, name: Any, data: Any = UNNAMED) -> None:
        """Save partial work, under a name or as the one `resume_data`; the next attempt finds it."""
        if data is UNNAMED:
            name, data = RESUME_DATA, name
        await self._save(name, data)

    async def _save(self, name: str, data: Any) -> None:
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

    async def step(self, name: str, work: Callable[[], Any]) -> Any:
        """What `work` gave when it was first done; once recorded it is not done again."""
        saved = await self.checkpoints()
        if name not in saved:
            value = work()
            await self.checkpoint(name, await value if inspect.isawaitable(value) else value)
        return saved[name]

    async def _resume_data(self) -> Any:
        return (await self.checkpoints()).get(RESUME_DATA)

    @property
    def _models(self) -> Models:
        return self._services.models.around(self._running.job.queue, self._running.job.stage)

    @property
    def _database(self) -> Database:
        return self._services.database

    async def save_call(self, call: NewCall, checkpoint: str | None = None, data: Any = None) -> None:
        """Record a call of a model or tool, and what it gave as a checkpoint, in one statement."""
        job, text = self._running.job, None if checkpoint is None else encode(data)
        saved = await db_calls.save_call(self._services.database, job.id, job.token, call, checkpoint, text)
        self._check(saved)
        if self._checkpoints is not None and checkpoint is not None and text is not None:
            self._checkpoints[checkpoint] = decode(text)

    async def label(self, **labels: Any) -> None:
        """Add labels to the job, for people and filters; one that is None is taken away."""
        job = self._running.job
        self._check(await db_worker.label_job(self._services.database, job.id, job.token, labels))
        kept = {name: value for name, value in {**job.labels, **labels}.items() if value is not None}
        job.labels_json = encode(kept)

    async def progress(
        self, done: int, total: int | None = None, failed: int | None = None, note: str | None = None
    ) -> None:
        """Counts for people; a value that is None stays as it was, an empty note takes the note away."""
        job = self._running.job
        database = self._services.database
        self._check(await db_worker.report_progress(database, job.id, job.token, done, total, failed, note))

    async def enqueue(self, task: Any, payload: Any = None, **options: Any) -> JobId:
        """Enqueue a child: a task or its name, its payload, and options in the form of the SQL verb.

        A payload that its handler could not take is refused here, with InvalidInput. Options that were set on
        the task itself hold, unless others are given.
        """
        job = self._running.job
        known = self._services.tasks.get(task) if isinstance(task, str) else task
        name = task if isinstance(task, str) else task.name
        fenced = {
            **getattr(task, "wire", {}),
            **options,
            "parent": str(job.id),
            "parent_token": str(job.token),
        }
        text = encode({} if payload is None else payload)
        if known is not None:
            known.bind(decode(text))
        (child,) = await db_jobs.enqueue_jobs(self._services.database, [name], [text], fenced)
        return child.id

    @asynccontextmanager
    async def transaction(self, output: Any = None) -> AsyncIterator[JobTransaction]:
        """The handler's own writes and the job's completion, committed together or not at all.

        The output is what is given here or set on the block's variable; what the handler returns afterwards
        does not count. Raises LeaseLost, with everything undone, if the job was taken away;
        TransactionConflict after a deadlock or a serialization failure, which costs no failure; and
        TransactionEnded if the handler committed or rolled back by itself, which the job does not survive.
        """
        job, database = self._running.job, self._services.database
        async with database.transaction() as connection:
            await db_transaction.mark(connection, job.token)
            block = JobTransaction(connection, output)
            with self._services.home, conflicts_translated():  # a copy must not end the worker's transaction
                yield block
            text, units = self._running.handler.encode_output(block.output), self._running.units
            await complete(connection, job, text, units, pooled=database.address.pooled)
        self._running.is_settled = True
        if job.run is not None:
            self._services.run_touched()

    def _check(self, is_ours: bool) -> None:
        if not is_ours:
            raise LeaseLost(f"The job {self.id} is no longer this worker's.")
