"""Reads a long list page by page, so that no call looks at more than a bounded number of rows."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from holdfast.db import dead, jobs, operator
from holdfast.db.statement import Executor
from holdfast.model.dead_letter import DeadLetter, LetterPlace
from holdfast.model.id import JobId
from holdfast.model.page import Page
from holdfast.model.state import LIVE, State

T = TypeVar("T")
P = TypeVar("P")

PAGE = 1000

Wire = dict[str, object]


async def every(
    read: Callable[[P | None], Awaitable[Page[T, P]]], place: P | None = None
) -> AsyncIterator[T]:
    """All items of a list, whose next page `read` gets; or those after a place."""
    while True:
        page = await read(place)
        for item in page.items:
            yield item
        place = page.next
        if place is None:
            return


async def batched(items: AsyncIterator[T], size: int) -> AsyncIterator[list[T]]:
    """The items in lists of this size; the last one may be shorter."""
    batch: list[T] = []
    async for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def every_letter(
    on: Executor, filters: Wire, size: int = PAGE, after: LetterPlace | None = None
) -> AsyncIterator[DeadLetter]:
    """Letters of jobs that are dead now, newest first; `after` the last one of an earlier look."""

    async def read(place: LetterPlace | None) -> Page[DeadLetter, LetterPlace]:
        return await dead.find_letters(on, filters, place, size)

    return every(read, after)


async def every_job(
    on: Executor,
    filters: Wire,
    states: frozenset[State],
    after: JobId | None = None,
    newest: JobId | None = None,
) -> AsyncIterator[JobId]:
    """Ids of jobs in some states: live ones oldest first, ended ones newest first. None is met twice.

    `after`: the last one of an earlier look at all live states or at one state. `newest`: leaves out jobs
    that were enqueued after this one.
    """

    async def read_live(place: JobId | None) -> Page[JobId, JobId]:
        return await operator.find_jobs(on, asked, place, PAGE)

    async def read_ended(place: JobId | None) -> Page[JobId, JobId]:
        page = await jobs.page_jobs(on, asked, place, PAGE)
        return Page([job.id for job in page.items], page.next)

    for state in [None, *sorted(states - LIVE)] if states >= LIVE else sorted(states):
        asked = filters if state is None else {**filters, "state": state.value}
        is_live = state is None or state in LIVE
        pages = every(read_live, after) if is_live else every(read_ended, after or newest)
        async for job in pages:
            if newest is not None and job > newest:
                break
            yield job
