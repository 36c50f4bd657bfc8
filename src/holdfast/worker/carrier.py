"""Runs attempts in tasks: one for each that waits for something, one for many that do not.

A task costs as much as the shortest attempts do. So the attempts of a batch run in turn in the same task
until one of them has to wait. From then on the task is that attempt's alone, and its handler, which may wait
again, gets a task for each attempt. No attempt meets what another did to its task: not a variable of its
context, not a request to cancel it.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Iterable
from contextvars import Context, copy_context
from types import coroutine
from typing import Any

from holdfast.worker.running import Running

Attempt = Coroutine[Any, Any, None]


class Carrier:
    """`attend`: what runs one attempt to its end and never raises."""

    def __init__(self, attend: Callable[[Running], Attempt]) -> None:
        self._attend = attend
        self._loop = asyncio.get_running_loop()

    def start(self, batch: Iterable[Running]) -> None:
        own: list[Running] = []
        short: deque[Running] = deque()
        for running in batch:
            if running.handler.has_waited:
                running.task = self._loop.create_task(self._attend(running))
                own.append(running)
            else:
                short.append(running)
        if short:
            self._loop.create_task(self._carry(short))
        self._loop.call_soon(self._start_unbegun, own, short)

    def _start_unbegun(self, own: list[Running], short: deque[Running]) -> None:
        """Called after the first steps of their tasks. A task that was cancelled before its first step ends
        without it: what it was to run has not begun, and would never have an end.
        """
        if rest := [*(running for running in own if not running.has_begun), *short]:
            self.start(rest)

    async def _carry(self, rest: deque[Running]) -> None:
        me, clean = asyncio.current_task(), copy_context()

        def pass_on() -> None:
            clean.run(self.start, rest)
            rest.clear()

        def wait() -> None:
            running.handler.has_waited = True
            pass_on()

        while rest:
            running = rest.popleft()
            running.task = me
            await _driven(self._attend(running), wait)
            if rest and _is_touched(me, clean):
                pass_on()


def _is_touched(task: "asyncio.Task[None] | None", clean: Context) -> bool:
    return copy_context() != clean or (task is not None and task.cancelling() > 0)


@coroutine
def _driven(attempt: Attempt, on_wait: Callable[[], None]) -> Generator[Any, None, None]:
    """As `await attempt`, with a call when it has to wait for the first time."""
    try:
        waits_for = attempt.send(None)
        on_wait()
        while True:
            try:
                yield waits_for
            except BaseException as exc:
                waits_for = attempt.throw(exc)
            else:
                waits_for = attempt.send(None)
    except StopIteration:
        return
