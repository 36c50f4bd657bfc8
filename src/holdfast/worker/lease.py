"""The worker's lease, renewed by a thread of its own: a handler that blocks the event loop is not robbed."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from threading import Thread
from time import monotonic
from typing import Any

from holdfast.db.address import Address
from holdfast.db.statement import Executor
from holdfast.db.worker import register_worker, renew_lease, stop_worker
from holdfast.model.error import HoldfastError
from holdfast.model.id import WorkerId
from holdfast.model.worker import Renewal
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event import Event
from holdfast.worker.line import Line
from holdfast.worker.pause import pause_after

MARGIN = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Registration:
    """How the worker makes itself known, at its start and whenever its row is gone, and takes itself off."""

    worker: WorkerId
    queues: list[str]
    info: Mapping[str, Any]

    async def send(self, on: Executor) -> None:
        await register_worker(on, self.worker, self.queues, self.info)

    async def sign_off(self, on: Executor, status: Mapping[str, Any], within: timedelta) -> None:
        """Releases what the worker still holds."""
        try:
            async with asyncio.timeout(within.total_seconds()):
                await stop_worker(on, self.worker, status)
        except (HoldfastError, TimeoutError) as exc:  # its lease runs out instead
            emit(Event.WORKER_NOT_SIGNED_OFF, logging.WARNING, worker=self.worker, because=repr(exc))


@dataclass(frozen=True, slots=True)
class LeaseEvents:
    """Called in the worker's loop."""

    on_answer: Callable[[Renewal], None]
    on_end: Callable[[], None]


class Lease:
    """Held until it could have ended by the database's clock: counted from when the renewal was *sent*,
    less a margin for handlers to stop.
    """

    def __init__(
        self,
        address: Address,
        registration: Registration,
        length: timedelta,
        status: Callable[[], Mapping[str, Any]],
        events: LeaseEvents,
    ) -> None:
        self._registration = registration
        self._length = length.total_seconds()
        self._status = status
        self._events = events
        self.line = Line(address, "lease", timeout=length / 3)
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
        """`sent_at`: when the registration was sent, which gave the first lease."""
        self._extend(sent_at)
        self._thread.start()

    def renew_soon(self) -> None:
        if self._loop is not None and self._kick is not None:
            with suppress(RuntimeError):  # the thread has just left
                self._loop.call_soon_threadsafe(self._kick.set)

    def give_up(self) -> None:
        """From any thread: renew no more."""
        self._is_stopping = True
        self.renew_soon()

    async def stop(self) -> None:
        """Renewal ends here: everything that the worker held must be settled by now."""
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
            await self._wait(self._length / 3 if failures == 0 else pause_after(failures, longest))
            if not self._is_stopping:
                failures = 0 if await self._renew(self.line) else failures + 1
        watch.cancel()
        await self.line.close()

    async def _wait(self, seconds: float) -> None:
        assert self._kick is not None
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._kick.wait()
        self._kick.clear()

    async def _renew(self, line: Line) -> bool:
        sent_at = monotonic()
        try:
            async with asyncio.timeout(self._length / 3):
                answer = await renew_lease(line, self._registration.worker, self._status())
                if not answer.known:
                    sent_at = monotonic()
                    await self._registration.send(line)
        except TimeoutError:
            return False
        except Exception as exc:
            # Whatever it is: a worker that stops renewing loses all its jobs. Lost connections were told of.
            emit(Event.LEASE_NOT_RENEWED, logging.DEBUG, because=exc)
            return False
        self._extend(sent_at)
        self._tell(self._events.on_answer, answer)
        return True

    def _extend(self, sent_at: float) -> None:
        margin = min(MARGIN.total_seconds(), self._length / 10)
        self._until = sent_at + self._length - margin
        if self._has_ended:
            self._has_ended = False
            emit(Event.LEASE_BACK, worker=self._registration.worker)

    async def _watch(self) -> None:
        """Tells the worker when its lease could have ended, also while a renewal hangs."""
        while True:
            await asyncio.sleep(max(0.02, self._until - monotonic()))
            if not self.is_held and not self._has_ended:
                self._has_ended = True
                emit(Event.LEASE_ENDED, logging.WARNING, worker=self._registration.worker)
                self._tell(self._events.on_end)

    def _tell(self, callback: Callable[..., None], *args: Any) -> None:
        with suppress(RuntimeError):  # the worker's loop is closed: nobody is left to tell
            self._home.call_soon_threadsafe(callback, *args)
