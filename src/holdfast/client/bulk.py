"""Many jobs in one transaction, in statements of a bounded size."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sized
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from holdfast.client.connection_pools import Link
from holdfast.client.enqueue_options import Stagger
from holdfast.client.job_handle import JobHandle
from holdfast.client.new_job import NewJob, queues_of, woken_by
from holdfast.client.own_connection import OwnConnection, QueueNamer, run_blocking
from holdfast.client.sync import SyncLoop
from holdfast.model.job import Enqueued

# Beyond a thousand, a statement gets hardly faster.
MOST_JOBS = 1_000
# The server waits for the first statement: a short one is built soon.
FIRST_JOBS = 250
MOST_BYTES = 8 * 1024 * 1024

OnProgress = Callable[[int, int | None], None]
Store = Callable[[list[NewJob]], Coroutine[Any, Any, list[Enqueued]]]


@dataclass(frozen=True, slots=True)
class Bulk:
    """One enqueue of many jobs, all or none. `total` is for the progress only; None if unknown."""

    jobs: Iterable[NewJob]
    total: int | None
    handle: Callable[[Enqueued], JobHandle[Any]]  # of each stored job, in order
    stagger: Stagger | None = None
    progress: OnProgress | None = None

    async def enqueue(self, conn: OwnConnection | None, link: Link) -> list[JobHandle[Any]]:
        """In the caller's transaction if the caller passed a connection, else in a new one."""
        return await (self._alone(link) if conn is None else self._on(conn, link))

    def enqueue_sync(self, conn: OwnConnection | None, loop: SyncLoop) -> list[JobHandle[Any]]:
        if conn is None:
            return loop.run(self._alone)
        conn.check_blocks()
        return run_blocking(self._on(conn, loop))

    async def _alone(self, link: Link) -> list[JobHandle[Any]]:
        ready = chunks(self._staggered(), first=min(FIRST_JOBS, MOST_JOBS))
        first = next(ready, None)
        if first is None:
            return []
        woken, handles = set[str](), list[JobHandle[Any]]()
        await link.name_queues(queues_of(first))  # first, on a connection that the transaction then uses
        async with link.database.transaction() as conn:

            async def store_chunk(chunk: list[NewJob]) -> list[Enqueued]:
                await link.name_queues(queues_of(chunk))
                answer = await link.store(conn, chunk, notify=False)
                woken.update(woken_by(chunk, answer))
                return answer

            await overlapped(chain([first], ready), store_chunk, partial(self._note, handles))
        link.notifier.tell(woken)
        return handles

    async def _on(self, conn: OwnConnection, namer: QueueNamer) -> list[JobHandle[Any]]:
        handles: list[JobHandle[Any]] = []
        for chunk in chunks(self._staggered()):
            self._note(handles, await conn.store(chunk, namer))
        return handles

    def _note(self, handles: list[JobHandle[Any]], stored: list[Enqueued]) -> None:
        handles += map(self.handle, stored)
        if self.progress is not None:
            self.progress(len(handles), self.total)

    def _staggered(self) -> Iterable[NewJob]:
        return self.jobs if self.stagger is None else staggered(self.jobs, self.stagger)


def chunks(jobs: Iterable[NewJob], first: int | None = None) -> Iterator[list[NewJob]]:
    """In order; each chunk has at least one job, and limited jobs and bytes. The first has at most `first`
    jobs, each of the next ones three times as many, up to the limit.
    """
    chunk: list[NewJob] = []
    most, room = MOST_JOBS if first is None else first, MOST_BYTES
    for job in jobs:
        size = len(job.payload)
        if chunk and (len(chunk) == most or size > room):
            yield chunk
            chunk, most, room = [], min(3 * most, MOST_JOBS), MOST_BYTES
        chunk.append(job)
        room -= size
    if chunk:
        yield chunk


async def overlapped(
    ready: Iterator[list[NewJob]], store_chunk: Store, note: Callable[[list[Enqueued]], None]
) -> None:
    """While the server stores a chunk, notes what it answered for the previous one and builds the next."""
    chunk, answer = next(ready, None), None
    while chunk is not None:
        storing = asyncio.create_task(store_chunk(chunk))
        try:
            await asyncio.sleep(0)  # the statement is sent
            if answer is not None:
                note(answer)
            chunk = next(ready, None)
        except BaseException:
            storing.cancel()
            await asyncio.gather(storing, return_exceptions=True)
            raise
        answer = await storing
    if answer is not None:
        note(answer)


def staggered(jobs: Iterable[NewJob], stagger: Stagger) -> Iterator[NewJob]:
    """The SQL verb's own stagger starts over with each statement, so each job gets its own delay."""
    every = stagger.every.total_seconds()
    for i, job in enumerate(jobs):
        delay = max(job.options.get("delay", 0), every * (i // stagger.chunk))
        yield NewJob(job.task, job.payload, {**job.options, "delay": delay} if delay else job.options)


def length_of(items: Iterable[object]) -> int | None:
    return len(items) if isinstance(items, Sized) else None
