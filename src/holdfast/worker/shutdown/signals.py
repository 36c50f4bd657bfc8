"""SIGTERM and SIGINT shut a worker down; the second one ends the grace period."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

from holdfast.worker.original_process import done_in_copies

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Stoppable(Protocol):
    def stop(self) -> None: ...


@contextmanager
def stop_on_signals(worker: Stoppable, at_once: Callable[[], None] | None = None) -> Iterator[None]:
    """For the main thread, inside the running loop.

    `at_once` is called even while a handler blocks the loop, between any two steps of the main thread, so it
    must do almost nothing.
    """
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        loop.add_signal_handler(number, worker.stop)
        if at_once is not None:
            # Replaces the handler that does nothing: the loop itself uses its wake-up descriptor.
            signal.signal(number, lambda *_: at_once())
    try:
        with done_in_copies(_hear_for_yourself):
            yield
    finally:
        for number in SIGNALS:
            loop.remove_signal_handler(number)


def _hear_for_yourself() -> None:
    """In a forked copy: its signals must not reach the worker through the shared descriptor."""
    with suppress(ValueError):  # not the main thread
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
