"""SIGTERM and SIGINT tell a worker to leave; the second one, to leave now."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Stoppable(Protocol):
    def stop(self) -> None: ...


@contextmanager
def stop_on_signals(worker: Stoppable) -> Iterator[None]:
    """For the main thread, inside the running loop."""
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        loop.add_signal_handler(number, worker.stop)
    try:
        yield
    finally:
        for number in SIGNALS:
            loop.remove_signal_handler(number)
