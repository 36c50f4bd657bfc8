"""The end of a time box from outside the event loop, for a worker whose loop is blocked."""

import asyncio
import logging
import threading
from collections.abc import Callable
from datetime import timedelta
from time import monotonic

from holdfast.db.address import Address
from holdfast.db.worker import stop_worker
from holdfast.model.id import WorkerId
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event import Event
from holdfast.worker.line import Line
from holdfast.worker.timebox import FENCE, TimeBox

LAST_WORDS = 0.02


class HardStop:
    """A thread that gives back what the worker holds shortly before its box ends.

    The jobs go on elsewhere, and late writes are fenced.
    """

    def __init__(self, address: Address, me: WorkerId, box: TimeBox, fenced: Callable[[], None]) -> None:
        self._address = address
        self._me = me
        self._box = box
        self._fenced = fenced  # called from the thread: nothing may be renewed from now on
        self._is_over = threading.Event()
        threading.Thread(target=self._watch, name="holdfast-time-box", daemon=True).start()

    def settled(self) -> None:
        """Nothing is held any more: there is nothing to fence."""
        self._is_over.set()

    def _watch(self) -> None:
        if not self._is_over.wait(self._box.moment(FENCE) - monotonic()):
            self._fenced()
            try:
                asyncio.run(self._give_back())
            except Exception as exc:
                # Whatever it is: the lease is not renewed any more, so the jobs are rescued when it ends.
                emit(Event.JOBS_NOT_RELEASED, logging.WARNING, worker=self._me, because=repr(exc))

    async def _give_back(self) -> None:
        within = timedelta(seconds=max(0.05, self._box.ends_at - LAST_WORDS - monotonic()))
        line = Line(self._address, "time box", timeout=within)
        async with asyncio.timeout(within.total_seconds()):
            await stop_worker(line, self._me)
        line.terminate()
