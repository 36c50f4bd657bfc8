"""A worker that should exit and cannot, because a handler blocks its event loop."""

import asyncio
import os
from datetime import timedelta
from queue import SimpleQueue
from threading import Thread
from time import monotonic, sleep

from holdfast.cli.frame.output import say
from holdfast.db.address import Address
from holdfast.db.worker import stop_worker
from holdfast.worker.worker import Worker
from holdfast.worker.worker_connection import WorkerConnection

# Beyond the grace a worker may still try to reach a database that does not answer, step by step.
DATABASE_AWAY = timedelta(seconds=20)
LAST_WORDS = timedelta(seconds=2)


class LastResort:
    """A thread that, at the end of the grace, releases what the worker holds and ends the process."""

    def __init__(self, worker: Worker, address: Address) -> None:
        self._worker = worker
        self._address = address
        self._signals: SimpleQueue[float] = SimpleQueue()
        Thread(target=self._watch, name="holdfast-last-resort", daemon=True).start()

    def signalled(self) -> None:
        """From a signal handler, in which only this queue may be used to wake a thread."""
        self._signals.put(monotonic())

    def _watch(self) -> None:
        asked_at = self._signals.get()
        grace = self._worker.options.grace.total_seconds()
        _sleep_until(asked_at + grace)
        if self._worker.is_leaving:
            _sleep_until(asked_at + grace + DATABASE_AWAY.total_seconds())
        say("warning: the worker could not exit within its grace; another connection releases its jobs")
        try:
            asyncio.run(self._release())
        finally:
            os._exit(0)

    async def _release(self) -> None:
        connection = WorkerConnection(self._address, "last resort", timeout=LAST_WORDS)
        async with asyncio.timeout(LAST_WORDS.total_seconds()):
            await stop_worker(connection, self._worker.id)
        connection.terminate()


def _sleep_until(moment: float) -> None:
    while (left := moment - monotonic()) > 0:
        sleep(left)
