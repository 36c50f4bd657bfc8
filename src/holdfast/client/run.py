"""A run: jobs submitted together, with one progress and one end."""

import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from types import TracebackType
from typing import Any, Self

from holdfast.client.connection_pools import Links
from holdfast.client.task import Call
from holdfast.client.traced_enqueue import followed_in_trace
from holdfast.client.wait import wait_until
from holdfast.client.worker_plan import WorkerPlan
from holdfast.db import runs
from holdfast.db.clock import now
from holdfast.db.statement import Executor
from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import NotFound, WrongState
from holdfast.model.id import RunId
from holdfast.model.json_document import plain
from holdfast.model.run_progress import RunForecast, RunProgress, Which
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event

ENDED = frozenset({"ended", "cancelled"})
CANCEL_WITHIN = timedelta(minutes=5)


class Run:
    """Started and sealed by `async with app.run(…) as run`; jobs join it with `task.options(run=run)`.

    If the block raises, the run stays open: check its jobs, then seal it or cancel it.
    """

    __slots__ = ("_id", "_links", "_options", "_plan", "name")

    def __init__(
        self,
        links: Links,
        name: str,
        options: Mapping[str, Any],
        run_id: RunId | None,
        plan: WorkerPlan | None = None,
    ) -> None:
        self.name = name
        self._plan = plan
        self._links = links
        self._options = options
        self._id = run_id

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            await self.seal()
        else:
            emit(Event.RUN_LEFT_OPEN, run=self.id, name=self.name, because=error)
            error.add_note(f"The run {self.id} ({self.name}) stays open: seal it or cancel it.")

    @property
    def id(self) -> RunId:
        if self._id is None:
            raise WrongState(
                f"The run {self.name} has not been started.",
                "use the run inside 'async with', or call 'await run.start()' first",
            )
        return self._id

    async def start(self) -> None:
        if self._id is None:
            options = followed_in_trace(self._options, self._links.tracer)
            self._id = await runs.start_run(self._links.here().database, self.name, options)

    async def seal(self) -> None:
        """No more jobs will join: only a sealed run can end. Starts the workers of its plan."""
        database = self._links.here().database
        await runs.seal_run(database, self.id)
        if self._plan is not None:
            await self._plan.start(database, self.id)

    async def progress(self) -> RunProgress:
        return await progress_of(self._links.here().database, self.id)

    async def forecast(self, slots: int | None = None) -> RunForecast:
        """How long the jobs left should take, by the run times of earlier jobs in their queues.

        On the slots of the workers that are there; before they have started, on those of the run's plan.
        """
        database = self._links.here().database
        found = await runs.run_forecast(database, self.id, slots)
        if found is not None and found.slots == 0 and slots is None and self._plan is not None:
            found = await runs.run_forecast(database, self.id, self._plan.most * self._plan.slots)
        if found is None:
            raise _not_found(self.id)
        return found

    async def wait(self, timeout: Duration | None = None) -> RunProgress:
        """The progress at the run's end; raises Timeout when the time is over."""
        return await wait_until(self._ended, timeout, f"The run {self.id} ({self.name}) did not end")

    async def cancel(self, reason: str | None = None) -> int:
        """Seal the run and cancel its live jobs; running ones get a cancel request. Returns how many."""
        database, total = self._links.here().database, 0

        async def ask() -> int | None:
            """Repeats until no job is left: a batch is limited, and skips locked rows."""
            nonlocal total
            count = await runs.cancel_run(database, self.id, reason, self._links.name)
            total += count
            left = await self.progress()
            return None if count or left.waiting + left.scheduled + left.ready else total

        return await wait_until(
            ask, CANCEL_WITHIN, f"The run {self.id} ({self.name}) was not cancelled completely"
        )

    async def replay(self, which: Which = Which.DEAD, reason: str | None = None) -> int:
        """Replay the dead jobs, or all that ended; returns how many."""
        return await replay_all(self._links.here().database, self.id, which, reason, self._links.name)

    async def raise_budget(
        self, amount: float | None = None, reason: str | None = None, max_units: float | None = None
    ) -> int:
        """Set a higher total; the jobs that waited for it continue. Returns how many."""
        database = self._links.here().database
        return await runs.raise_budget(database, self.id, amount, reason, self._links.name, max_units)

    async def extend(self, by: Duration, reason: str | None = None) -> int:
        """Add time; the jobs that waited for it continue. Returns how many."""
        database = self._links.here().database
        return await runs.extend_run(database, self.id, parse_duration(by), reason, self._links.name)

    async def _ended(self) -> RunProgress | None:
        progress = await self.progress()
        return progress if progress.state in ENDED else None


async def progress_of(on: Executor, run: RunId) -> RunProgress:
    """Raises NotFound."""
    found = await runs.run_progress(on, run)
    if found is None:
        raise _not_found(run)
    return found


def run_document(progress: RunProgress) -> dict[str, Any]:
    return {**plain(progress), "more_than": progress.more_than}


async def cancel_all(on: Executor, run: RunId, reason: str | None, actor: str) -> int:
    return await in_batches(lambda: runs.cancel_run(on, run, reason, actor))


async def replay_all(on: Executor, run: RunId, which: Which, reason: str | None, actor: str) -> int:
    """The number of jobs that were replayed, each once: one that ends again is left alone."""
    before = await now(on)
    return await in_batches(lambda: runs.replay_run(on, run, which, reason, actor, before))


async def in_batches(verb: Callable[[], Awaitable[int]]) -> int:
    """A verb on a run takes a batch of its jobs at a time, so that no single call runs into a timeout."""
    total = 0
    while count := await verb():
        total += count
    return total


def _not_found(run: RunId) -> NotFound:
    return NotFound(f"There is no run {run}.", "check the id; 'holdfast runs list' shows all runs")


def run_options(
    on_complete: Call[Any] | None,
    labels: Mapping[str, Any] | None,
    budget: str | float | None = None,
    max_units: float | None = None,
    max_time: Duration | None = None,
    origin: str | None = None,
    actor: str | None = None,
) -> dict[str, Any]:
    """In the form of start_run."""
    options: dict[str, Any] = {}
    if on_complete is not None:
        job = on_complete.job
        options["on_complete"] = {"task": job.task, "payload": json.loads(job.payload), **job.options}
    if labels is not None:
        options["labels"] = dict(labels)
    if budget is not None:
        options["budget"] = budget
    if max_units is not None:
        options["max_units"] = max_units
    if max_time is not None:
        options["max_time"] = parse_duration(max_time).total_seconds()
    if origin is not None:
        options["origin"] = origin
    if actor is not None:
        options["actor"] = actor
    return options
