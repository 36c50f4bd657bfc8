"""The child's end of the connection: a thread reads, so that a cancel and the worker's exit are noticed at
once.
"""

import os
import signal
import socket
from concurrent.futures import Future
from itertools import count
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import Any, NoReturn

from holdfast.model import error
from holdfast.model.error import HoldfastError
from holdfast.worker.call.process.message_frame import HEAD, Message, length_of, pack, unpack

CANNOT_HEAR = 70


class StopFlags:
    """What the worker can request from the running handler."""

    __slots__ = ("to_cancel", "to_yield")

    def __init__(self) -> None:
        self.to_cancel = Event()
        self.to_yield = Event()


Order = tuple[Message, StopFlags]


class ParentConnection:
    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._me = os.getpid()
        self._lock = Lock()
        self._numbers = count()
        self._answers: dict[int, Future[Any]] = {}
        self._orders: SimpleQueue[Order] = SimpleQueue()
        self._asked = StopFlags()
        os.register_at_fork(after_in_child=end.close)
        Thread(target=self._listen, name="holdfast-parent", daemon=True).start()

    def next_order(self) -> Order:
        """What to load or to run, and the flags for stopping."""
        return self._orders.get()

    def send(self, message: Message) -> None:
        self._leave_if_forked()
        frame = pack(message)
        with self._lock:
            self._end.sendall(frame)

    def ask(self, verb: str, **given: Any) -> Future[Any]:
        """Waits for the worker's answer."""
        number = next(self._numbers)
        future: Future[Any] = Future()
        self._answers[number] = future
        self.send({"ask": number, "verb": verb, "with": given})
        return future

    def _leave_if_forked(self) -> None:
        """A forked copy has returned from the handler: it must not report the end."""
        if os.getpid() != self._me:
            os._exit(0)

    def _listen(self) -> None:
        try:
            while True:
                self._take(unpack(self._read(length_of(self._read(HEAD)))))
        except BaseException:
            # For example, no memory for an answer. A child that cannot read would wait for ever.
            os._exit(CANNOT_HEAR)

    def _take(self, message: Message) -> None:
        if "answer" in message:
            _resolve(self._answers.pop(message["answer"]), message)
        elif "cancel" in message:
            self._asked.to_cancel.set()
        elif "yield" in message:
            self._asked.to_yield.set()
        else:
            self._asked = StopFlags()
            self._orders.put((message, self._asked))

    def _read(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            part = self._end.recv(size - len(data))
            if not part:
                _end_group()
            data += part
        return bytes(data)


def _resolve(future: "Future[Any]", message: Message) -> None:
    if not future.set_running_or_notify_cancel():
        return
    if "value" in message:
        future.set_result(message["value"])
    else:
        kind = getattr(error, str(message["error"]), HoldfastError)
        future.set_exception(kind(message["message"], message["hint"]))


def _end_group() -> NoReturn:
    """The worker is gone, or needs no more attempts."""
    os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(0)
