"""The end of a time box from outside the event loop, for a worker whose loop is blocked."""

import asyncio
import threading
from collections.abc import Callable
from datetime import timedelta
from time import monotonic

from holdfast.db.address import Address
from holdfast.db.worker import stop_worker
from holdfast.model.id import WorkerId
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event
from holdfast.worker.time_box.time_box import FENCE, TimeBox
from holdfast.worker.worker_connection import WorkerConnection

LAST_WORDS = 0.02


class HardStop:
    """A thread that releases the worker's jobs shortly before its time box ends.

    Other workers continue the jobs, and the database refuses late writes.
    """

    def __init__(self, address: Address, me: WorkerId, box: TimeBox, fenced: Callable[[], None]) -> None:
        self._address = address
        self._me = me
        self._box = box
        self._fenced = fenced  # called from the thread: the lease must not be renewed from now on
        self._is_over = threading.Event()
        threading.Thread(target=self._watch, name="holdfast-time-box", daemon=True).start()

    def settled(self) -> None:
        """The worker holds no job: there is nothing to release."""
        self._is_over.set()

    def _watch(self) -> None:
        if not self._is_over.wait(self._box.moment(FENCE) - monotonic()):
            self._fenced()
            try:
                asyncio.run(self._give_back())
            except Exception as exc:
                # On any error: the lease is no longer renewed, so the jobs are rescued when it expires.
                emit(Event.JOBS_NOT_RELEASED, worker=self._me, because=repr(exc))

    async def _give_back(self) -> None:
        within = timedelta(seconds=max(0.05, self._box.ends_at - LAST_WORDS - monotonic()))
        connection = WorkerConnection(self._address, "time box", timeout=within)
        async with asyncio.timeout(within.total_seconds()):
            await stop_worker(connection, self._me)
        connection.terminate()
