"""Concurrent enqueues of one process share a statement; each caller gets its answer after the commit."""

import asyncio
import copy
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, Protocol

from holdfast.client.enqueue_options import split_options
from holdfast.client.new_job import NewJob, queues_of
from holdfast.client.notify import Notifier
from holdfast.db import jobs
from holdfast.db.connect import Database, KeptConnection
from holdfast.db.statement import Fetcher
from holdfast.model.error import DatabaseUnavailable, HoldfastError, Timeout
from holdfast.model.job import Enqueued

# More jobs per statement are not faster, and delay the first caller.
MOST_JOBS = 500
MOST_BYTES = 4 * 1024 * 1024

Notify = bool | Literal["routed"]
# The notifier wakes the queues that this process knows of; the statement only those that rules chose instead.
ROUTED: Literal["routed"] = "routed"


class Store(Protocol):
    async def __call__(self, on: Fetcher, batch: Sequence[NewJob], /, *, notify: Notify) -> list[Enqueued]:
        """As `store` does it."""


class EnqueueOne(Protocol):
    async def enqueue(self, job: NewJob) -> Enqueued: ...

    async def close(self) -> None:
        """Returns when no statement is running."""


@dataclass(frozen=True, slots=True)
class Caller:
    job: NewJob
    answer: "asyncio.Future[Enqueued]"


class Enqueuer:
    """The first job is sent at once; jobs that arrive while a statement runs go with the next one."""

    def __init__(self, on: Database, notifier: Notifier) -> None:
        self._on = on
        self._kept = KeptConnection(on)
        self._notifier = notifier
        self._callers: list[Caller] = []
        self._idle = asyncio.Event()
        self._idle.set()
        self._sending: asyncio.Task[None] | None = None

    async def enqueue(self, job: NewJob) -> Enqueued:
        if job.takes_locks:
            return await self._send_one(self._on, job)
        if not self._idle.is_set():
            return await self._join(job)
        self._idle.clear()
        try:
            return await self._send_one(self._kept, job)
        finally:
            self._send_rest()

    async def close(self) -> None:
        """Returns when no statement is running."""
        await self._idle.wait()
        await self._kept.give_back()

    async def _join(self, job: NewJob) -> Enqueued:
        caller = Caller(job, asyncio.get_running_loop().create_future())
        self._callers.append(caller)
        return await caller.answer

    def _send_rest(self) -> None:
        """A separate task sends the jobs that arrived in between, so that no caller waits for another one's
        batch.
        """
        if self._callers:
            self._sending = asyncio.create_task(self._send_all(), name="holdfast-enqueue")
        else:
            self._idle.set()

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
            stored = await store(self._kept, [caller.job for caller in batch], notify=ROUTED)
        except HoldfastError as exc:
            await self._refused(batch, exc)
        except BaseException:
            for caller in batch:
                caller.answer.cancel()
            raise
        else:
            self._notifier.tell(queues_of(caller.job for caller in batch))
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

    async def _send_one(self, on: Fetcher, job: NewJob) -> Enqueued:
        queue = job.options.get("queue") or job.options["default_queue"]
        rides = self._notifier.ride(queue)
        (enqueued,) = await store(on, [job], notify=rides or ROUTED)
        if not rides:
            self._notifier.tell([queue])
        return enqueued


async def store(on: Fetcher, batch: Sequence[NewJob], *, notify: Notify) -> list[Enqueued]:
    """One statement for all of `batch`."""
    if len(batch) == 1:
        (job,) = batch
        single = {**job.options, "notify": notify, "keys_checked": True}
        return [await jobs.enqueue_one(on, job.task, job.payload, single)]
    tasks = [job.task for job in batch]
    payloads = [job.payload for job in batch]
    common, varying = split_options([job.options for job in batch])
    shared = {**common, "notify": notify, "keys_checked": True}  # the payloads were serialized from dicts
    return await jobs.enqueue_columns(
        on, tasks[:1] if len(set(tasks)) == 1 else tasks, payloads, shared, varying
    )


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
