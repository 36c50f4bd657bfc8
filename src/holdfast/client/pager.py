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


async def every(read: Callable[[P | None], Awaitable[Page[T, P]]]) -> AsyncIterator[T]:
    """All items of a list, whose next page `read` gets."""
    place: P | None = None
    while True:
        page = await read(place)
        for item in page.items:
            yield item
        place = page.next
        if place is None:
            return


def every_letter(on: Executor, filters: Wire, size: int = PAGE) -> AsyncIterator[DeadLetter]:
    """Letters of jobs that are dead now, newest first."""

    async def read(place: LetterPlace | None) -> Page[DeadLetter, LetterPlace]:
        return await dead.find_letters(on, filters, place, size)

    return every(read)


async def every_job(on: Executor, filters: Wire, states: frozenset[State]) -> AsyncIterator[JobId]:
    """Ids of jobs in some states: live ones oldest first, ended ones newest first. None is met twice."""

    async def read_live(place: JobId | None) -> Page[JobId, JobId]:
        return await operator.find_jobs(on, asked, place, PAGE)

    async def read_ended(place: JobId | None) -> Page[JobId, JobId]:
        page = await jobs.page_jobs(on, asked, place, PAGE)
        return Page([job.id for job in page.items], page.next)

    for state in [None, *sorted(states - LIVE)] if states >= LIVE else sorted(states):
        asked = filters if state is None else {**filters, "state": state.value}
        async for job in every(read_live if state is None or state in LIVE else read_ended):
            yield job
