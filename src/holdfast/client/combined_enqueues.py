"""Concurrent enqueues share a statement; each caller gets its answer after the commit."""

import asyncio
import copy
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from holdfast.client.new_job import NewJob
from holdfast.model.error import DatabaseUnavailable, HoldfastError, Timeout
from holdfast.model.job import Enqueued

# More jobs per statement are not faster, and delay the first caller.
MOST_JOBS = 500
MOST_BYTES = 4 * 1024 * 1024

# With one of these options, the insert may wait for a lock that another transaction holds.
LOCKING = frozenset({"unique_key", "order_key"})

# One statement for these jobs.
Send = Callable[[Sequence[NewJob]], Awaitable[list[Enqueued]]]


@dataclass(frozen=True, slots=True)
class Caller:
    job: NewJob
    answer: "asyncio.Future[Enqueued]"


class CombinedEnqueues:
    """The first job is sent at once; jobs that arrive while a statement runs go with the next one. A job that
    may wait for a lock has a statement of its own, which no other waits for.
    """

    def __init__(self, send: Send, send_alone: Send | None = None) -> None:
        """`send_alone`: for a job that may wait for a lock, if that needs another connection."""
        self._send_jobs = send
        self._send_alone = send_alone or send
        self._callers: list[Caller] = []
        self._idle = asyncio.Event()
        self._idle.set()
        self._sending: asyncio.Task[None] | None = None

    @property
    def is_idle(self) -> bool:
        return self._idle.is_set()

    async def enqueue(self, job: NewJob) -> Enqueued:
        if not LOCKING.isdisjoint(job.options):
            (enqueued,) = await self._send_alone([job])
            return enqueued
        if not self._idle.is_set():
            return await self._join(job)
        self._idle.clear()
        try:
            (enqueued,) = await self._send_jobs([job])
            return enqueued
        finally:
            # A separate task sends the jobs that arrived in between: no caller waits for another one's batch.
            if self._callers:
                self._sending = asyncio.create_task(self._send_all(), name="holdfast-enqueue")
            else:
                self._idle.set()

    async def until_idle(self) -> None:
        """Returns when no statement is running."""
        await self._idle.wait()

    async def _join(self, job: NewJob) -> Enqueued:
        caller = Caller(job, asyncio.get_running_loop().create_future())
        self._callers.append(caller)
        return await caller.answer

    async def _send_all(self) -> None:
        try:
            while batch := self._next_batch():
                await self._send(batch)
        except BaseException:
            for caller in self._callers:
                caller.answer.cancel()
            self._callers.clear()
            raise
        finally:
            self._sending = None
            self._idle.set()

    def _next_batch(self) -> list[Caller]:
        """In order of arrival, without callers that were cancelled."""
        self._callers = [caller for caller in self._callers if not caller.answer.done()]
        batch: list[Caller] = []
        room = MOST_BYTES
        for caller in islice(self._callers, MOST_JOBS):
            room -= len(caller.job.payload)
            if room < 0 and batch:
                break
            batch.append(caller)
        del self._callers[: len(batch)]
        return batch

    async def _send(self, batch: Sequence[Caller]) -> None:
        try:
            stored = await self._send_jobs([caller.job for caller in batch])
        except HoldfastError as exc:
            await self._refused(batch, exc)
        except BaseException:
            for caller in batch:
                caller.answer.cancel()
            raise
        else:
            for caller, enqueued in zip(batch, stored, strict=True):
                _answer(caller, enqueued)

    async def _refused(self, batch: Sequence[Caller], exc: HoldfastError) -> None:
        """One invalid job fails the whole statement: sent alone, each job gets its own answer."""
        if len(batch) == 1 or not _was_undone(exc):
            for caller in batch:
                _fail(caller, exc)
            return
        for caller in batch:
            await self._send([caller])


def _was_undone(exc: HoldfastError) -> bool:
    """The server refused the statement. After a broken connection it is unknown whether it was committed."""
    return not isinstance(exc, DatabaseUnavailable | Timeout)


def _answer(caller: Caller, enqueued: Enqueued) -> None:
    if not caller.answer.done():
        caller.answer.set_result(enqueued)


def _fail(caller: Caller, exc: HoldfastError) -> None:
    """A copy for each caller: raising one exception in several places mixes up the tracebacks."""
    if caller.answer.done():
        return
    own = copy.copy(exc)
    own.__cause__ = exc.__cause__
    caller.answer.set_exception(own)
