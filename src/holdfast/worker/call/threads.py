"""Threads for handlers that are plain functions.

Daemon threads of our own: those of concurrent.futures are joined when the interpreter exits, so that one
handler that never returns would keep the process alive.
"""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from holdfast.worker.claim.slots import Slots
from holdfast.worker.claim.wake import Wake
from holdfast.worker.original_process import OriginalProcess

Call = Callable[[], Any]
Entry = tuple[Call, "asyncio.Future[Any]"]


class Threads:
    """Started when needed; as many as handlers ran at the same time."""

    def __init__(self, slots: Slots, wake: Wake) -> None:
        self._slots = slots
        self._wake = wake
        self._calls: SimpleQueue[Entry | None] = SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._home = OriginalProcess()
        self._idle = 0
        self._count = 0

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "asyncio.Future[Any]":
        """A future of the function's result; cancelling it abandons the thread, which cannot be stopped."""
        context = contextvars.copy_context()
        future: asyncio.Future[Any] = self._loop.create_future()
        self._calls.put((lambda: context.run(function, *args, **kwargs), future))
        if self._idle > 0:
            self._idle -= 1
        else:
            self._count += 1
            threading.Thread(target=self._work, name=f"holdfast-{self._count}", daemon=True).start()
        return future

    def give_up(self, future: "asyncio.Future[Any]") -> None:
        if not future.done():
            future.cancel()
            self._count_stuck(1)

    def close(self) -> None:
        for _ in range(self._count):
            self._calls.put(None)

    def _count_stuck(self, change: int) -> None:
        """A thread was abandoned and keeps its slot, or has returned at last."""
        self._slots.stuck += change
        self._wake.nudge()

    def _work(self) -> None:
        while (entry := self._calls.get()) is not None:
            call, future = entry
            try:
                answer, error = call(), None
            except BaseException as exc:
                answer, error = None, exc
            self._home.leave_if_forked(error)
            try:
                self._loop.call_soon_threadsafe(self._deliver, future, answer, error)
            except RuntimeError:
                return  # the worker has exited: its loop is closed
            del entry, call, future, answer, error  # an idle thread keeps nothing of its last job

    def _deliver(self, future: "asyncio.Future[Any]", answer: Any, error: BaseException | None) -> None:
        self._idle += 1
        if future.cancelled():
            self._count_stuck(-1)
        elif error is None:
            future.set_result(answer)
        elif isinstance(error, StopIteration):  # which a future cannot carry
            future.set_exception(RuntimeError("the handler raised StopIteration"))
        else:
            future.set_exception(error)
