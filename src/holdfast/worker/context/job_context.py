"""The context of a running job: what its handler can read and do."""

import inspect
from asyncio import CancelledError
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from threading import Event
from time import monotonic
from typing import Any, overload

from holdfast.model.duration import Duration
from holdfast.model.error import LeaseLost
from holdfast.model.id import JobId, RunId, Token
from holdfast.model.payload import decode, encode
from holdfast.model.progress_report import read_report
from holdfast.model.recorded_call import NewCall
from holdfast.telemetry.trace_names import STEP, step_span
from holdfast.telemetry.tracer import Kind, span
from holdfast.worker.attempt.running_attempt import Attempt
from holdfast.worker.context.blocking_context import UNNAMED, BlockingContext
from holdfast.worker.context.cached_value import WAIT, CachedValue
from holdfast.worker.context.context_port import ContextPort
from holdfast.worker.context.job_transaction import JobTransaction
from holdfast.worker.context.loaded import Loaded
from holdfast.worker.context.pipeline_context import PipelineContext, in_trace
from holdfast.worker.resources import existing

RESUME_DATA = "resume_data"  # the name under which a checkpoint without a name is saved


class JobContext(PipelineContext):
    """The context of one attempt. Every write carries the job's token; after a lost lease it raises
    LeaseLost.
    """

    __slots__ = ("_checkpoints",)

    def __init__(self, attempt: Attempt, port: ContextPort) -> None:
        super().__init__(attempt, port)
        self._checkpoints: dict[str, Any] | None = None

    @property
    def id(self) -> JobId:
        return self._attempt.job.id

    @property
    def task(self) -> str:
        return self._attempt.job.task

    @property
    def queue(self) -> str:
        return self._attempt.job.queue

    @property
    def attempt(self) -> int:
        return self._attempt.job.attempt

    @property
    def failures(self) -> int:
        return self._attempt.job.failures

    @property
    def generation(self) -> int:
        """1 for the first life of the job; a replay starts the next one."""
        return self._attempt.job.generation

    @property
    def labels(self) -> dict[str, Any]:
        return self._attempt.job.labels

    @property
    def slot(self) -> datetime | None:
        """The time for which a schedule made the job, in UTC; None for other jobs."""
        labels = self.labels
        if not isinstance(labels.get("schedule"), str) or not isinstance(labels.get("slot"), str):
            return None
        try:
            return datetime.fromisoformat(labels["slot"])
        except ValueError:
            return None  # a label of the job's own that has this name

    @property
    def run(self) -> RunId | None:
        return self._attempt.job.run

    @property
    def endpoint(self) -> str | None:
        """The endpoint to call: the job's own, or its fallback while it is down."""
        return self._attempt.job.endpoint

    @property
    def endpoint_ok(self) -> bool | None:
        """Whether the endpoint answered the last call well; None if unknown.

        Set it to True after a good answer: if the attempt then fails, it is the job's own failure. Evidence
        in the exception itself takes precedence.
        """
        return self._attempt.endpoint_ok

    @endpoint_ok.setter
    def endpoint_ok(self, said: bool | None) -> None:
        self._attempt.endpoint_ok = said
        self._port.note_endpoint(said)

    @property
    def stage(self) -> str | None:
        return self._attempt.job.stage

    @property
    def resources(self) -> Any:
        """The value that the app's `@app.resources` yields; opened once by this worker or child process."""
        return existing(self._port.resources)

    @property
    def cancelled(self) -> Event:
        """Set when the attempt must stop: is_set(), and wait(seconds) in a thread."""
        return self._attempt.cancelled

    @property
    def should_yield(self) -> Event:
        """Set when the worker is about to exit: save a checkpoint and raise Yield, or finish soon."""
        return self._attempt.should_yield

    @property
    def blocking(self) -> BlockingContext:
        """The same methods for a handler that is a plain function."""
        return BlockingContext(self, self._port)

    def time_left(self) -> timedelta | None:
        """The time until its timeout or its worker's time box cancels the attempt; None without either."""
        ends_at = self._port.ends_at(self._attempt)
        return None if ends_at is None else timedelta(seconds=max(0.0, ends_at - monotonic()))

    def idempotency_key(self, step: str = "") -> str:
        """The same for every attempt at this step; different after a replay or a new visit to the stage."""
        job = self._attempt.job
        return f"{self._port.installation}:{job.id}:{job.generation}:{job.visit}:{step}"

    def units(self, used: float) -> None:
        """Add to the units that this attempt has used; they count however the attempt ends."""
        self._attempt.add_units(used)
        self._port.note_units(used)

    @property
    def resume_data(self) -> "Loaded[Any]":
        """`await ctx.resume_data`: the last data of `checkpoint(data)`, or None; read at first use."""
        return Loaded("resume_data", self._resume_data)

    @overload
    async def checkpoint(self, data: Any, /) -> None: ...

    @overload
    async def checkpoint(self, name: str, data: Any) -> None: ...

    async def checkpoint(self, name: Any, data: Any = UNNAMED) -> None:
        """Save partial work, under a name or as the one `resume_data`; the next attempt finds it."""
        if data is UNNAMED:
            name, data = RESUME_DATA, name
        text = encode(data)
        self._check(await self._port.save_checkpoint(self._attempt.job, name, text))
        if self._checkpoints is not None:
            self._checkpoints[name] = decode(text)

    async def checkpoints(self) -> dict[str, Any]:
        """The checkpoints of this job's attempts, by name; read once."""
        if self._checkpoints is None:
            self._checkpoints = await self._port.load_checkpoints(self._attempt.job)
        return self._checkpoints

    async def step(self, name: str, work: Callable[[], Any]) -> Any:
        """The result of `work`; once recorded, it does not run again."""
        saved = await self.checkpoints()
        if name not in saved:
            with span(step_span(name), Kind.INTERNAL, {STEP: name}):
                value = work()
                await self.checkpoint(name, await value if inspect.isawaitable(value) else value)
        return saved[name]

    async def cached(
        self,
        key: str,
        lasts: Duration,
        compute: Callable[[], Any],
        *,
        wait: Duration = WAIT,
        scope: str | None = None,
    ) -> Any:
        """The value of `key`, which lasts so long from when it was stored; computed if there is none.

        Of all attempts that ask for it at once, on any worker, one computes and the others wait for it. If
        `compute` raises, or its attempt is lost, the next one computes; if it takes longer than `wait`, one
        of those who wait starts its own computation, and the value of the first is not stored. Raises Snooze
        after twice `wait`, so that the job runs again later. The value is JSON of at most 64 KiB. A key
        belongs to the task; `scope` shares it with other tasks.
        """
        use = self._cached_value(key, lasts, wait, scope)
        if await use.take():
            return use.value
        try:
            value = compute()
            return await use.save(await value if inspect.isawaitable(value) else value)
        except (Exception, CancelledError) as exc:
            await use.free(exc)
            raise

    async def save_call(self, call: NewCall, checkpoint: str | None = None, data: Any = None) -> None:
        """Record a call of a model or tool, and its result as a checkpoint, in one statement."""
        text = None if checkpoint is None else encode(data)
        self._check(await self._port.save_call(self._attempt.job, call, checkpoint, text))
        if self._checkpoints is not None and checkpoint is not None and text is not None:
            self._checkpoints[checkpoint] = decode(text)

    async def label(self, **labels: Any) -> None:
        """Add labels to the job, for people and filters; a value of None removes the label."""
        job = self._attempt.job
        self._check(await self._port.add_labels(job, labels))
        kept = {name: value for name, value in {**job.labels, **labels}.items() if value is not None}
        job.labels_json = encode(kept)

    async def progress(
        self,
        done: int,
        total: int | None = None,
        failed: int | None = None,
        note: str | None = None,
        *,
        item: str | None = None,
        error: BaseException | str | None = None,
    ) -> None:
        """Report how far the job is, for people, as often as you like.

        A worker stores the newest reports of all its jobs in one statement every half second at most, and
        the last one with the job's end. `done` counts items, those that `failed` included. `item` is the one
        that it is at, `error` what went wrong with it; the latest five errors are kept. A value that is None
        stays unchanged, an empty text removes the text. Raises InvalidInput for counts that cannot be, and
        LeaseLost after the database has refused a report.
        """
        report = read_report(done, total, failed, note, item, error)
        self._check(not self._attempt.is_lost and await self._port.report_progress(self._attempt, report))

    async def enqueue(self, task: Any, payload: Any = None, **options: Any) -> JobId:
        """Enqueue a child: a task or its name, its payload, and options in the form of the SQL verb.

        A payload that does not fit its handler raises InvalidInput here. Options of the task apply unless
        others are given.
        """
        text, options = encode({} if payload is None else payload), in_trace(options)
        if isinstance(task, str):
            return await self._port.enqueue_child(self._attempt.job, task, text, options, is_bound=False)
        task.bind(decode(text))
        given = task.wire_of(text, options) if hasattr(task, "wire_of") else options
        return await self._port.enqueue_child(self._attempt.job, task.name, text, given, is_bound=True)

    def transaction(self, output: Any = None) -> AbstractAsyncContextManager[JobTransaction]:
        """The handler's own writes and the job's completion, committed together or not at all.

        The job's output is the argument or the `output` of the block's variable; the handler's return value
        does not count. Raises LeaseLost, with everything undone, if another worker has the job;
        TransactionConflict after a deadlock or a serialization failure, which is not counted as a failure;
        and TransactionEnded if the handler itself committed or rolled back, which makes the job dead.
        In process mode it raises BadHandler.
        """
        return self._port.transaction(self._attempt, output)

    def _cached_value(self, key: str, lasts: Duration, wait: Duration, scope: str | None) -> CachedValue:
        return CachedValue(self._attempt, self._port, key, lasts, wait, self.task if scope is None else scope)

    async def _resume_data(self) -> Any:
        return (await self.checkpoints()).get(RESUME_DATA)

    def _check(self, is_ours: bool) -> None:
        if not is_ours:
            self._attempt.is_lost = True
            raise LeaseLost(f"This worker no longer holds the job {self.id}.")


def token_of(ctx: JobContext) -> Token:
    """For Holdfast's own jobs, which call verbs that take it. A child process has a stand-in."""
    return ctx._attempt.job.token
