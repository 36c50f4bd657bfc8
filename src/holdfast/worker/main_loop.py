"""The event loop of a process that is a worker and nothing else: it ends with the worker, not before.

asyncio lets SystemExit and KeyboardInterrupt of any task or callback end the loop, and any code may call
`loop.stop()`. Here the loop is restarted. The handler that awaits such a task still gets its exception, and
its attempt ends with it.
"""

import asyncio
import os
import select
import signal
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, Self, TypeVar

from holdfast.model.printable import text_of
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event
from holdfast.worker.original_process import OriginalProcess, done_in_copies
from holdfast.worker.own_task import OwnTask

T = TypeVar("T")
# For leftover tasks of handlers to process their cancellation. They have had their grace period.
LAST_STEPS = 0.1


def run_main(
    work: Coroutine[Any, Any, T],
    new_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop,
) -> T:
    """Like asyncio.run for the main thread, but it waits neither for tasks that swallow their cancellation
    nor for threads of the default executor.
    """
    with MainLoop(new_loop) as loop:
        return loop.until_done(work)


class MainLoop:
    """Runs several coroutines one after the other on one loop."""

    def __init__(self, new_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop) -> None:
        self._loop = new_loop()
        self._home = OriginalProcess()

    def __enter__(self) -> Self:
        asyncio.set_event_loop(self._loop)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.until_done(self._close())
        finally:
            asyncio.set_event_loop(None)
            self._loop.close()

    def until_done(self, work: Coroutine[Any, Any, T]) -> T:
        with done_in_copies(_leave_epoll), done_in_copies(self._loop.stop):
            return self._until_done(work)

    def _until_done(self, work: Coroutine[Any, Any, T]) -> T:
        task = OwnTask(work, loop=self._loop, name="holdfast-main")
        task.add_done_callback(lambda _: self._loop.stop())
        interrupt: KeyboardInterrupt | None = None
        while not task.done():
            try:
                self._loop.run_forever()
                self._home.leave_if_forked(_error_of(task))
                if not task.done():
                    emit(Event.LOOP_RESTARTED, because="a handler stopped the event loop")
            except (SystemExit, KeyboardInterrupt) as exc:
                self._home.leave_if_forked(exc)
                if isinstance(exc, KeyboardInterrupt) and _hears_ctrl_c():
                    interrupt = exc
                    task.end()
                elif not task.done():
                    said = f"{type(exc).__name__}: {text_of(exc)}"
                    emit(Event.LOOP_RESTARTED, because=f"a handler's task raised {said}")
        if interrupt is not None and task.cancelled():
            raise interrupt
        return task.result()

    async def _close(self) -> None:
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        left.add(asyncio.create_task(self._loop.shutdown_asyncgens(), name="holdfast-asyncgens"))
        _, stubborn = await asyncio.wait(left, timeout=LAST_STEPS)
        for task in stubborn:
            emit(Event.TASK_LEFT, task=task.get_name(), coroutine=task.get_coro())


def _leave_epoll() -> None:
    """In a forked copy: the kernel shares one epoll set between both, so descriptors that the copy's loop
    removes when it stops (uvloop: its signals) would be removed from the worker's set too.
    """
    descriptors = Path("/proc/self/fd")
    for file in list(descriptors.iterdir()) if descriptors.exists() else ():
        with suppress(OSError):  # the descriptor of the listing itself is closed by now
            if str(file.readlink()) == "anon_inode:[eventpoll]":
                with select.epoll() as own:
                    os.dup2(own.fileno(), int(file.name), inheritable=False)


def _error_of(task: "asyncio.Task[Any]") -> BaseException | None:
    return task.exception() if task.done() and not task.cancelled() else None


def _hears_ctrl_c() -> bool:
    """A started worker receives SIGINT through the loop, so a KeyboardInterrupt then comes from a handler."""
    return signal.getsignal(signal.SIGINT) is signal.default_int_handler
