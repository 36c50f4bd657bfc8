"""One action on many jobs, named by id or chosen by a filter, in batches and at a pace."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from holdfast.client.pacer import Pacer
from holdfast.client.pager import PAGE, Wire, batched, every_job
from holdfast.db import jobs
from holdfast.db.statement import Executor
from holdfast.model.error import Conflict, InvalidOption, NotFound
from holdfast.model.id import JobId
from holdfast.model.state import LIVE, State

R = TypeVar("R", bound=StrEnum)

NOT_FOUND = "not_found"
# A row is busy while a worker settles it, which takes milliseconds.
BUSY = "busy"
BUSY_TRIES = 20
BUSY_PAUSE = 0.1

# Results that mean that a job was not changed.
REFUSALS = {
    "ended": "has ended",
    "not_running": "is not running",
    "live": "has not ended",
    "conflict": "cannot be replayed, because another job has taken its unique key",
    "replaced": "was replaced by another job",
    BUSY: "is being changed by another transaction",
}

Action = Callable[[Sequence[JobId]], Awaitable[Mapping[JobId, R]]]
OnProgress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class JobSelection:
    """Ids, or a filter and the states to look in; never both, never neither.

    `after` and `newest`: see `every_job`.
    """

    ids: tuple[JobId, ...] = ()
    filters: Wire = field(default_factory=dict)
    states: frozenset[State] = LIVE
    after: JobId | None = None
    newest: JobId | None = None

    def __post_init__(self) -> None:
        if bool(self.ids) == bool(self.filters):
            raise InvalidOption(
                "Both ids and a filter are given." if self.ids else "Neither ids nor a filter are given.",
                "give the ids of jobs, or a filter (queue, task, run or label), not both",
            )

    @property
    def is_bulk(self) -> bool:
        return not self.ids

    async def count(self, on: Executor) -> int:
        """In one statement, however many there are."""
        return len(self.ids) if self.ids else await jobs.count_matching(on, self.filters, self.states)

    async def paced(self, on: Executor, pace: float | None) -> AsyncIterator[list[JobId]]:
        """The jobs in batches, each when the pace allows it."""
        pacer, done = Pacer(pace), 0
        async for batch in batched(self.every(on), pacer.step(PAGE)):
            await pacer.keep(done)
            yield batch
            done += len(batch)

    async def every(self, on: Executor) -> AsyncIterator[JobId]:
        for job in self.ids:
            yield job
        if self.is_bulk:
            async for job in every_job(on, self.filters, self.states, self.after, self.newest):
                yield job


async def act(
    on: Executor,
    selection: JobSelection,
    action: Action[R],
    pace: float | None = None,
    on_progress: OnProgress = lambda done: None,
) -> dict[JobId, R]:
    """What became of each job. Each batch is a transaction, so an interrupted action is done in part."""
    results: dict[JobId, R] = {}
    async for batch in selection.paced(on, pace):
        results |= await _unless_busy(batch, action)
        on_progress(len(results))
    return results


def require_changed(results: Mapping[JobId, StrEnum]) -> None:
    """Jobs named by id must all have been changed; of those that a filter found, some may have moved on."""
    for job, result in results.items():
        if result == NOT_FOUND:
            raise NotFound(f"There is no job {job}.", "'holdfast jobs list' shows the ids")
    for job, result in results.items():
        if result in REFUSALS:
            raise Conflict(
                f"The job {job} {REFUSALS[result]}.", "'holdfast jobs show' shows the state of the job"
            )


async def _unless_busy(batch: Iterable[JobId], action: Action[R]) -> dict[JobId, R]:
    """A job that another transaction is changing is asked for again."""
    results = dict(await action(list(batch)))
    for _ in range(BUSY_TRIES):
        busy = [job for job, result in results.items() if result == BUSY]
        if not busy:
            break
        await asyncio.sleep(BUSY_PAUSE)
        results |= await action(busy)
    return results
