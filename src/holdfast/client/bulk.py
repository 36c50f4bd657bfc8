"""Many jobs in one transaction, in statements of a bounded size."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sized
from dataclasses import dataclass

from holdfast.client.enqueue import store
from holdfast.client.link import Link
from holdfast.client.new_job import NewJob
from holdfast.client.options import Stagger
from holdfast.client.own_connection import OwnConnection, QueueNamer, run_blocking
from holdfast.client.sync import SyncLoop
from holdfast.model.job import Enqueued

# Beyond some thousands a statement gets no faster, but memory grows and no progress is seen.
MOST_JOBS = 5_000
MOST_BYTES = 8 * 1024 * 1024

OnProgress = Callable[[int, int | None], None]
Store = Callable[[list[NewJob]], Awaitable[list[Enqueued]]]


@dataclass(frozen=True, slots=True)
class Bulk:
    """One enqueue of many, all or none. `total` is for the progress only; None if nobody knows."""

    jobs: Iterable[NewJob]
    total: int | None
    stagger: Stagger | None = None
    progress: OnProgress | None = None

    async def enqueue(self, conn: OwnConnection | None, link: Link) -> list[Enqueued]:
        """Part of the caller's transaction if there is a connection of the caller's, else one of its own."""
        return await (self._alone(link) if conn is None else self._on(conn, link))

    def enqueue_sync(self, conn: OwnConnection | None, loop: SyncLoop) -> list[Enqueued]:
        if conn is None:
            return loop.run(self._alone)
        conn.check_blocks()
        return run_blocking(self._on(conn, loop))

    async def _alone(self, link: Link) -> list[Enqueued]:
        queues: set[str] = set()
        async with link.database.transaction() as conn:

            async def store_chunk(chunk: list[NewJob]) -> list[Enqueued]:
                queues.update(job.queue for job in chunk)
                await link.name_queues(queues)
                return await store(conn, chunk, notify=False)

            stored = await self._send(store_chunk)
        link.notifier.tell(queues)
        return stored

    async def _on(self, conn: OwnConnection, namer: QueueNamer) -> list[Enqueued]:
        return await self._send(lambda chunk: conn.store(chunk, namer))

    async def _send(self, store_chunk: Store) -> list[Enqueued]:
        stored: list[Enqueued] = []
        for chunk in chunks(self._staggered()):
            stored += await store_chunk(chunk)
            if self.progress is not None:
                self.progress(len(stored), self.total)
        return stored

    def _staggered(self) -> Iterable[NewJob]:
        return self.jobs if self.stagger is None else staggered(self.jobs, self.stagger)


def chunks(jobs: Iterable[NewJob]) -> Iterator[list[NewJob]]:
    """In order; each has at least one job and at most so many jobs and bytes."""
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


def staggered(jobs: Iterable[NewJob], stagger: Stagger) -> Iterator[NewJob]:
    """The SQL verb's own stagger begins anew with each statement, so the delays are given job by job."""
    every = stagger.every.total_seconds()
    for i, job in enumerate(jobs):
        delay = max(job.options.get("delay", 0), every * (i // stagger.chunk))
        yield NewJob(job.task, job.payload, {**job.options, "delay": delay} if delay else job.options)


def length_of(items: Iterable[object]) -> int | None:
    return len(items) if isinstance(items, Sized) else None
