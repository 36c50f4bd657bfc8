"""Stores the jobs of a program: concurrent enqueues of one process share a statement."""

from collections.abc import Sequence
from functools import partial
from typing import Protocol

from holdfast.client.combined_enqueues import CombinedEnqueues
from holdfast.client.enqueue_options import split_options
from holdfast.client.new_job import NewJob, woken_by
from holdfast.client.notify import Notifier
from holdfast.db import jobs
from holdfast.db.connect import Database
from holdfast.db.kept_connection import KeptConnection
from holdfast.db.statement import Fetcher
from holdfast.model.job import Enqueued


class Store(Protocol):
    async def __call__(self, on: Fetcher, batch: Sequence[NewJob], /, *, notify: bool) -> list[Enqueued]:
        """As `store` does it."""


class EnqueueOne(Protocol):
    async def enqueue(self, job: NewJob) -> Enqueued: ...

    async def close(self) -> None:
        """Returns when no statement is running."""


class Enqueuer:
    """Combined enqueues on a connection that is kept; the notifier wakes workers for them."""

    def __init__(self, on: Database, notifier: Notifier) -> None:
        self._kept = KeptConnection(on)
        self._notifier = notifier
        self._combined = CombinedEnqueues(partial(self._send, self._kept), partial(self._send, on))
        self.enqueue = self._combined.enqueue

    async def close(self) -> None:
        """Returns when no statement is running."""
        await self._combined.until_idle()
        await self._kept.give_back()

    async def _send(self, on: Fetcher, batch: Sequence[NewJob]) -> list[Enqueued]:
        """A single job carries the hint itself, if none was sent lately."""
        options = batch[0].options
        queue = options.get("queue") or options["default_queue"]
        rides = len(batch) == 1 and self._notifier.ride(queue)
        stored = await store(on, batch, notify=rides)
        if not rides:
            self._notifier.tell(woken_by(batch, stored))
        return stored


async def store(on: Fetcher, batch: Sequence[NewJob], *, notify: bool) -> list[Enqueued]:
    """One statement for all of `batch`. `notify`: it wakes the workers itself."""
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
