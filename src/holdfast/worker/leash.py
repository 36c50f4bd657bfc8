"""The child's side of the line between a worker and one that it started for suspects."""

import asyncio
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from time import sleep

from holdfast.worker.signals import SIGNALS, Stoppable
from holdfast.worker.suspects import READY

BEAT = 1.0


class Leash:
    """The child's beats show that its interpreter runs. It leaves when its parent says so, or is gone.

    Signals have no effect: one may be the suspect's own doing.
    """

    def __init__(self) -> None:
        """Takes the line, which came as the standard input."""
        self._line = socket.socket(fileno=os.dup(0))
        self._was_told = False
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        for number in SIGNALS:
            # Not SIG_IGN, which programs that a handler starts would inherit.
            signal.signal(number, _do_nothing)
        Thread(target=self._beat, name="holdfast-leash", daemon=True).start()

    def _beat(self) -> None:
        while True:
            try:
                self._line.send(b".")
            except OSError:
                return  # the parent is gone, and the reader sees it, too
            sleep(BEAT)

    @contextmanager
    def stopping(self, worker: Stoppable) -> Iterator[None]:
        loop = asyncio.get_running_loop()

        def obey() -> None:
            is_word = bool(self._line.recv(1))
            if not is_word:
                loop.remove_reader(self._line)
            if is_word or not self._was_told:
                worker.stop()
            self._was_told = True

        loop.add_reader(self._line, obey)
        self._line.send(READY)
        try:
            yield
        finally:
            loop.remove_reader(self._line)


def _do_nothing(*_: object) -> None:
    """For signals."""
