"""Many jobs in one transaction, in statements of a bounded size."""

from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass

from holdfast.client.enqueue import store
from holdfast.client.link import Link
from holdfast.client.new_job import NewJob
from holdfast.client.options import Stagger
from holdfast.db.connect import Connection
from holdfast.model.job import Enqueued

# Beyond some thousands a statement gets no faster, but memory grows and no progress is seen.
MOST_JOBS = 5_000
MOST_BYTES = 8 * 1024 * 1024

OnProgress = Callable[[int, int | None], None]


@dataclass(frozen=True, slots=True)
class Bulk:
    """One enqueue of many; on `conn` it is part of the caller's transaction, else it has its own."""

    link: Link
    conn: "Connection | None" = None
    stagger: Stagger | None = None
    progress: OnProgress | None = None

    async def enqueue(self, jobs: Iterable[NewJob], total: int | None) -> list[Enqueued]:
        """All or none. `total` is for the progress only; None if nobody knows."""
        if self.stagger is not None:
            jobs = staggered(jobs, self.stagger)
        if self.conn is not None:
            stored, _ = await self._send(self.conn, jobs, total, notify=True)
            return stored
        async with self.link.database.transaction() as conn:
            stored, queues = await self._send(conn, jobs, total, notify=False)
        self.link.notifier.tell(queues)
        return stored

    async def _send(
        self, conn: Connection, jobs: Iterable[NewJob], total: int | None, *, notify: bool
    ) -> tuple[list[Enqueued], set[str]]:
        stored: list[Enqueued] = []
        queues: set[str] = set()
        for chunk in chunks(jobs):
            queues.update(job.queue for job in chunk)
            await self.link.name_queues(queues)
            stored += await store(conn, chunk, notify=notify)
            if self.progress is not None:
                self.progress(len(stored), total)
        return stored, queues


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
