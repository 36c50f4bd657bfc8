"""The worker's lease, renewed by a separate thread, so that a handler that blocks the event loop keeps its
job.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from threading import Thread
from time import monotonic
from typing import Any, Protocol

from holdfast.db.address import Address
from holdfast.db.statement import Executor
from holdfast.db.worker import register_worker, renew_lease, stop_worker
from holdfast.model.error import HoldfastError
from holdfast.model.id import WorkerId
from holdfast.model.worker import Renewal
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event
from holdfast.worker.backoff import backoff
from holdfast.worker.worker_connection import WorkerConnection

MARGIN = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Registration:
    """Registers the worker at its start and whenever its row is gone, and unregisters it."""

    worker: WorkerId
    queues: list[str]
    info: Mapping[str, Any]

    async def send(self, on: Executor) -> None:
        await register_worker(on, self.worker, self.queues, self.info)

    async def sign_off(self, on: Executor, status: Mapping[str, Any], within: timedelta) -> None:
        """Releases the jobs that the worker still holds."""
        try:
            async with asyncio.timeout(within.total_seconds()):
                await stop_worker(on, self.worker, status)
        except (HoldfastError, TimeoutError) as exc:  # its lease expires instead
            emit(Event.WORKER_NOT_UNREGISTERED, logging.WARNING, worker=self.worker, because=repr(exc))


class LeaseHolder(Protocol):
    """The worker. Its status is read in the lease's thread; the other two are called in the worker's loop."""

    def status(self) -> Mapping[str, Any]: ...

    def lease_renewed(self, answer: Renewal) -> None: ...

    def lease_expired(self) -> None: ...


class Lease:
    """Valid until it could have expired by the database's clock: counted from when the renewal was *sent*,
    minus a margin for handlers to stop.
    """

    def __init__(
        self, address: Address, registration: Registration, length: timedelta, holder: LeaseHolder
    ) -> None:
        self._registration = registration
        self._length = length.total_seconds()
        self._holder = holder
        self.connection = WorkerConnection(address, "lease", timeout=length / 3)
        self._until = 0.0
        self._has_ended = False
        self._is_stopping = False
        self._home = asyncio.get_running_loop()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._kick: asyncio.Event | None = None
        self._thread = Thread(target=self._run, name="holdfast-lease", daemon=True)

    @property
    def is_held(self) -> bool:
        return monotonic() < self._until

    def start(self, sent_at: float) -> None:
        """`sent_at`: when the registration was sent, which granted the first lease."""
        self._extend(sent_at)
        self._thread.start()

    def renew_soon(self) -> None:
        if self._loop is not None and self._kick is not None:
            with suppress(RuntimeError):  # the thread has just ended
                self._loop.call_soon_threadsafe(self._kick.set)

    def give_up(self) -> None:
        """From any thread: stop renewing."""
        self._is_stopping = True
        self.renew_soon()

    async def stop(self) -> None:
        """Stops renewing: all jobs of the worker must be settled by now."""
        self.give_up()
        if self._thread.ident is not None:
            await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        asyncio.run(self._renew_for_ever())

    async def _renew_for_ever(self) -> None:
        self._kick, self._loop = asyncio.Event(), asyncio.get_running_loop()
        watch = asyncio.create_task(self._watch())
        failures = 0
        while not self._is_stopping:
            longest = timedelta(seconds=self._length / 10)
            await self._wait(self._length / 3 if failures == 0 else backoff(failures, longest))
            if not self._is_stopping:
                failures = 0 if await self._renew(self.connection) else failures + 1
        watch.cancel()
        await self.connection.close()

    async def _wait(self, seconds: float) -> None:
        assert self._kick is not None
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._kick.wait()
        self._kick.clear()

    async def _renew(self, on: WorkerConnection) -> bool:
        sent_at = monotonic()
        try:
            async with asyncio.timeout(self._length / 3):
                answer = await renew_lease(on, self._registration.worker, self._holder.status())
                if not answer.known:
                    sent_at = monotonic()
                    await self._registration.send(on)
        except TimeoutError:
            return False
        except Exception as exc:
            # On any error: a worker that stops renewing loses all its jobs. Lost connections were already
            # logged.
            emit(Event.LEASE_NOT_RENEWED, because=exc)
            return False
        self._extend(sent_at)
        self._tell(self._holder.lease_renewed, answer)
        return True

    def _extend(self, sent_at: float) -> None:
        margin = min(MARGIN.total_seconds(), self._length / 10)
        self._until = sent_at + self._length - margin
        if self._has_ended:
            self._has_ended = False
            emit(Event.LEASE_RESTORED, worker=self._registration.worker)

    async def _watch(self) -> None:
        """Informs the worker when its lease could have expired, also while a renewal hangs."""
        while True:
            await asyncio.sleep(max(0.02, self._until - monotonic()))
            if not self.is_held and not self._has_ended:
                self._has_ended = True
                emit(Event.LEASE_EXPIRED, worker=self._registration.worker)
                self._tell(self._holder.lease_expired)

    def _tell(self, callback: Callable[..., None], *args: Any) -> None:
        with suppress(RuntimeError):  # the worker's loop is closed
            self._home.call_soon_threadsafe(callback, *args)
