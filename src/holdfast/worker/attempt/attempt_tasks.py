"""Runs attempts in asyncio tasks: one task for each attempt that waits, one for many that do not.

A task costs as much as the shortest attempts. So the attempts of a batch run one after the other in the same
task until one of them has to wait. From then on the task belongs to that attempt, and later attempts of this
handler get a task each, because it may wait again. No attempt sees what another did to its task: neither its
context variables nor its cancellation.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Iterable
from contextvars import Context, copy_context
from types import coroutine
from typing import Any

from holdfast.worker.attempt.running_attempt import Attempt

Run = Coroutine[Any, Any, None]


class AttemptTasks:
    """`attend`: runs one attempt to its end and never raises."""

    def __init__(self, attend: Callable[[Attempt], Run]) -> None:
        self._attend = attend
        self._loop = asyncio.get_running_loop()

    def start(self, batch: Iterable[Attempt]) -> None:
        own: list[Attempt] = []
        short: deque[Attempt] = deque()
        for attempt in batch:
            if attempt.handler.has_waited:
                attempt.task = self._loop.create_task(self._attend(attempt))
                own.append(attempt)
            else:
                short.append(attempt)
        if short:
            self._loop.create_task(self._carry(short))
        self._loop.call_soon(self._start_unbegun, own, short)

    def _start_unbegun(self, own: list[Attempt], short: deque[Attempt]) -> None:
        """Called after the first steps of the tasks. A task that is cancelled before its first step never
        runs: its attempts have not begun, and would never end.
        """
        if rest := [*(attempt for attempt in own if not attempt.has_begun), *short]:
            self.start(rest)

    async def _carry(self, rest: deque[Attempt]) -> None:
        me, clean = asyncio.current_task(), copy_context()

        def pass_on() -> None:
            clean.run(self.start, rest)
            rest.clear()

        def wait() -> None:
            attempt.handler.has_waited = True
            pass_on()

        while rest:
            attempt = rest.popleft()
            attempt.task = me
            await _driven(self._attend(attempt), wait)
            if rest and _is_touched(me, clean):
                pass_on()


def _is_touched(task: "asyncio.Task[None] | None", clean: Context) -> bool:
    return copy_context() != clean or (task is not None and task.cancelling() > 0)


@coroutine
def _driven(run: Run, on_wait: Callable[[], None]) -> Generator[Any, None, None]:
    """Like `await run`, with a call when it has to wait for the first time."""
    try:
        waits_for = run.send(None)
        on_wait()
        while True:
            try:
                yield waits_for
            except BaseException as exc:
                waits_for = run.throw(exc)
            else:
                waits_for = run.send(None)
    except StopIteration:
        return
