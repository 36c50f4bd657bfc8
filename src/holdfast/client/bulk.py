"""Many jobs in one transaction, in statements of a bounded size."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Sized
from dataclasses import dataclass
from itertools import chain
from typing import Any

from holdfast.client.connection_pools import Link
from holdfast.client.enqueue_options import Stagger
from holdfast.client.new_job import NewJob, queues_of, woken_by
from holdfast.client.own_connection import OwnConnection, QueueNamer, run_blocking
from holdfast.client.sync import SyncLoop
from holdfast.model.job import Enqueued

# Beyond a thousand, a statement gets hardly faster, and the server waits longer for the first one.
MOST_JOBS = 1_000
MOST_BYTES = 8 * 1024 * 1024

OnProgress = Callable[[int, int | None], None]
Store = Callable[[list[NewJob]], Coroutine[Any, Any, list[Enqueued]]]


@dataclass(frozen=True, slots=True)
class Bulk:
    """One enqueue of many jobs, all or none. `total` is for the progress only; None if unknown."""

    jobs: Iterable[NewJob]
    total: int | None
    stagger: Stagger | None = None
    progress: OnProgress | None = None

    async def enqueue(self, conn: OwnConnection | None, link: Link) -> list[Enqueued]:
        """In the caller's transaction if the caller passed a connection, else in a new one."""
        return await (self._alone(link) if conn is None else self._on(conn, link))

    def enqueue_sync(self, conn: OwnConnection | None, loop: SyncLoop) -> list[Enqueued]:
        if conn is None:
            return loop.run(self._alone)
        conn.check_blocks()
        return run_blocking(self._on(conn, loop))

    async def _alone(self, link: Link) -> list[Enqueued]:
        ready = chunks(self._staggered())
        first = next(ready, None)
        if first is None:
            return []
        woken, stored = set[str](), list[Enqueued]()
        await link.name_queues(queues_of(first))  # first, on a connection that the transaction then uses
        async with link.database.transaction() as conn:

            async def store_chunk(chunk: list[NewJob]) -> list[Enqueued]:
                await link.name_queues(queues_of(chunk))
                answer = await link.store(conn, chunk, notify=False)
                woken.update(woken_by(chunk, answer))
                return answer

            async for some in overlapped(chain([first], ready), store_chunk):
                self._note(stored, some)
        link.notifier.tell(woken)
        return stored

    async def _on(self, conn: OwnConnection, namer: QueueNamer) -> list[Enqueued]:
        stored: list[Enqueued] = []
        for chunk in chunks(self._staggered()):
            self._note(stored, await conn.store(chunk, namer))
        return stored

    def _note(self, stored: list[Enqueued], more: list[Enqueued]) -> None:
        stored += more
        if self.progress is not None:
            self.progress(len(stored), self.total)

    def _staggered(self) -> Iterable[NewJob]:
        return self.jobs if self.stagger is None else staggered(self.jobs, self.stagger)


def chunks(jobs: Iterable[NewJob]) -> Iterator[list[NewJob]]:
    """In order; each chunk has at least one job, and limited jobs and bytes."""
    chunk: list[NewJob] = []
    room = MOST_BYTES
    for job in jobs:
        size = len(job.payload)
        if chunk and (len(chunk) == MOST_JOBS or size > room):
            yield chunk
            chunk, room = [], MOST_BYTES
        chunk.append(job)
        room -= size
    if chunk:
        yield chunk


async def overlapped(ready: Iterator[list[NewJob]], store_chunk: Store) -> AsyncIterator[list[Enqueued]]:
    """Builds a chunk while the server stores the previous one."""
    chunk = next(ready, None)
    while chunk is not None:
        storing = asyncio.create_task(store_chunk(chunk))
        try:
            await asyncio.sleep(0)  # the statement is sent
            chunk = next(ready, None)
        except BaseException:
            storing.cancel()
            await asyncio.gather(storing, return_exceptions=True)
            raise
        yield await storing


def staggered(jobs: Iterable[NewJob], stagger: Stagger) -> Iterator[NewJob]:
    """The SQL verb's own stagger starts over with each statement, so each job gets its own delay."""
    every = stagger.every.total_seconds()
    for i, job in enumerate(jobs):
        delay = max(job.options.get("delay", 0), every * (i // stagger.chunk))
        yield NewJob(job.task, job.payload, {**job.options, "delay": delay} if delay else job.options)


def length_of(items: Iterable[object]) -> int | None:
    return len(items) if isinstance(items, Sized) else None
