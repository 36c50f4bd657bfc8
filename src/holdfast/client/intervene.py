"""Laying hands on live jobs, by id or by a filter. Each action wants a reason and fences the worker."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, Unpack
from uuid import UUID

from holdfast.client.filters import JobFilter, wire
from holdfast.client.link import Links
from holdfast.client.read_id import read_id
from holdfast.db import manual
from holdfast.db.manual import Results
from holdfast.db.statement import Executor
from holdfast.model.error import InvalidOption
from holdfast.model.id import JobId
from holdfast.model.payload import encode

PAGE = 1000

Action = Callable[[Sequence[JobId]], Awaitable[Results]]
OnProgress = Callable[[int], None]


class Interventions:
    """Reached as `app.by_hand`. Name the jobs, or say which by a filter; never both, never neither.

    A filter is worked off in steps of 1000 jobs, each its own transaction.
    """

    def __init__(self, links: Links) -> None:
        self._links = links

    async def take_back(self, *jobs: UUID | str, reason: str, **filters: Unpack[JobFilter]) -> Results:
        """From their workers, back to ready, at no cost."""
        return await self._on(
            jobs, filters, lambda ids: manual.take_back(self._database, ids, reason, self._links.name)
        )

    async def complete(
        self, *jobs: UUID | str, reason: str, output: Any = None, **filters: Unpack[JobFilter]
    ) -> Results:
        """The work was done by other means; `output` is what it left."""
        left = None if output is None else encode(output)
        return await self._on(
            jobs,
            filters,
            lambda ids: manual.complete_by_hand(self._database, ids, left, reason, self._links.name),
        )

    async def fail(self, *jobs: UUID | str, reason: str, **filters: Unpack[JobFilter]) -> Results:
        """Give them up: they are dead, with a dead letter each."""
        return await self._on(
            jobs, filters, lambda ids: manual.fail_by_hand(self._database, ids, reason, self._links.name)
        )

    async def set_priority(
        self, *jobs: UUID | str, to: int, reason: str, **filters: Unpack[JobFilter]
    ) -> Results:
        return await self._on(
            jobs, filters, lambda ids: manual.set_priority(self._database, ids, to, reason, self._links.name)
        )

    @property
    def _database(self) -> Executor:
        return self._links.here().database

    async def _on(self, jobs: tuple[UUID | str, ...], filters: JobFilter, action: Action) -> Results:
        chosen = wire(filters)
        if bool(jobs) == bool(chosen):
            raise InvalidOption(
                "Which jobs are meant is not clear.", "name the jobs, or give a filter, not both"
            )
        if jobs:
            return await action([JobId(read_id(job)) for job in jobs])
        return await act_on_matching(self._database, chosen, action)


async def act_on_matching(
    on: Executor, filters: dict[str, Any], action: Action, on_progress: OnProgress | None = None
) -> Results:
    """What became of each live job that fits. Ids only rise, so none is met twice."""
    results: Results = {}
    async for ids in matching(on, filters):
        results |= await action(ids)
        if on_progress is not None:
            on_progress(len(results))
    return results


async def matching(on: Executor, filters: dict[str, Any]) -> AsyncIterator[list[JobId]]:
    after: JobId | None = None
    while True:
        page = await manual.find_jobs(on, filters, after, PAGE)
        if page.ids:
            yield page.ids
        after = page.next
        if after is None:
            return
