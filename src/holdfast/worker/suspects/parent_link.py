"""The child's side of the connection between a worker and a worker that it started for suspects."""

import asyncio
import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from time import sleep

from holdfast.worker.shutdown.signals import SIGNALS, Stoppable
from holdfast.worker.suspects.suspect_workers import READY

BEAT = 1.0


class ParentLink:
    """The child's heartbeats show that its interpreter runs. It exits when its parent says so, or is gone.

    Signals have no effect: the suspect itself may have sent them.
    """

    def __init__(self) -> None:
        """Takes the connection, which is the standard input."""
        self._socket = socket.socket(fileno=os.dup(0))
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        for number in SIGNALS:
            # Not SIG_IGN: programs that a handler starts would inherit it.
            signal.signal(number, _do_nothing)
        _start_thread(self._beat)

    def ready(self) -> None:
        """The worker is registered."""
        with suppress(OSError):  # the parent is gone, and the listener notices it
            self._socket.send(READY)

    def obey(self, worker: Stoppable, on_word: Callable[[], None]) -> None:
        """Forwards the parent's messages, in a thread: a handler may block the event loop."""
        loop = asyncio.get_running_loop()

        def listen() -> None:
            words = 0
            while True:
                is_word = self._hear()
                if is_word or not words:
                    on_word()
                    with suppress(RuntimeError):  # the loop is closed: the worker has exited
                        loop.call_soon_threadsafe(worker.stop)
                if not is_word:
                    return
                words += 1

        _start_thread(listen)

    def _hear(self) -> bool:
        """Waits for a message; false if the parent is gone."""
        try:
            return bool(self._socket.recv(1))
        except OSError:
            return False

    def _beat(self) -> None:
        with suppress(OSError):
            while True:
                self._socket.send(b".")
                sleep(BEAT)


def _start_thread(target: Callable[[], None]) -> None:
    Thread(target=target, name="holdfast-parent-link", daemon=True).start()


def _do_nothing(*_: object) -> None:
    """For signals."""
