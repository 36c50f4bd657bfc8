"""The worker's children: one for each running attempt in process mode, kept for the next of the same task."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta

from holdfast.model.outcome import End, Verb
from holdfast.worker.context import JobContext
from holdfast.worker.handler import Handler
from holdfast.worker.processes.child import Child, start_child
from holdfast.worker.processes.death import ProcessDied, ProcessNotStarted
from holdfast.worker.processes.place import place_of
from holdfast.worker.processes.talk import talk
from holdfast.worker.running import Running

IDLE = 60.0
REAP = 5.0
# For a child that is not needed any more to close its resources.
CLOSE = 10.0


class Processes:
    """Never more children than slots: an idle one of another task makes room."""

    def __init__(self, most: int, app_path: str | None) -> None:
        self._most = most
        self._app_path = app_path
        self._count = 0
        self._children: set[Child] = set()
        self._idle: dict[Child, str] = {}  # the task that each has loaded, longest idle first
        self._room = asyncio.Event()

    async def run(self, running: Running, context: JobContext) -> End:
        """One attempt. Cancelling it kills the child; whatever happens to the child ends the attempt."""
        running.abandon = _cancelling_this()
        child = await self._child_for(running.handler)
        try:
            end, is_last = await talk(child, running, context)
        except BaseException:
            child.end()
            raise
        finally:
            running.pass_on = running.pass_yield = None
        if is_last:
            child.end()
        else:
            self._keep(child, running.handler.name)
        if running.stop is not None and end.verb not in (Verb.COMPLETE, Verb.ADVANCE):
            raise ProcessDied("The handler gave up after it was told to stop.")
        return end

    async def close(self, within: timedelta) -> None:
        """Ends all children, those without work after they have closed their resources; all are reaped."""
        children, seconds = list(self._children), within.total_seconds()
        for child in children:
            if child in self._idle or child.is_ending:
                child.leave(seconds)
            else:
                child.end()
        if children:
            await asyncio.wait([child.over for child in children], timeout=seconds + REAP)

    async def _child_for(self, handler: Handler) -> Child:
        for child, task in reversed(self._idle.items()):
            if task == handler.name and child.is_alive and not child.is_ending:
                del self._idle[child]
                child.keep()
                return child
        return await self._new_child(handler)

    async def _new_child(self, handler: Handler) -> Child:
        place, limits = place_of(handler, self._app_path), handler.process
        assert limits is not None
        await self._make_room()
        child = await self._start()
        try:
            await child.tell({"load": asdict(place), "limits": asdict(limits)})
            answer = await child.hear()
        except BaseException:
            child.end()
            raise
        if "ready" not in answer:
            child.end()
            raise _unready(handler, answer.get("failed"), answer.get("memory") is True)
        child.closes = answer.get("closes") is True
        return child

    async def _make_room(self) -> None:
        while self._count >= self._most:
            self._room.clear()
            if not any(child.is_ending for child in self._children):
                self._end_longest_idle()
            await self._room.wait()

    def _end_longest_idle(self) -> None:
        for child in list(self._idle)[:1]:
            del self._idle[child]
            child.leave(CLOSE)

    async def _start(self) -> Child:
        self._count += 1
        try:
            child = await start_child()
        except BaseException:
            self._vacate()
            raise
        self._children.add(child)
        child.over.add_done_callback(lambda _: self._forget(child))
        return child

    def _keep(self, child: Child, task: str) -> None:
        if child in self._children:
            self._idle[child] = task
            child.leave_after(IDLE, CLOSE)
            self._room.set()  # whoever waits for room may end it

    def _forget(self, child: Child) -> None:
        self._children.discard(child)
        if self._idle.pop(child, None) is not None:
            child.end()
        self._vacate()

    def _vacate(self) -> None:
        self._count -= 1
        self._room.set()


def _cancelling_this() -> Callable[[], None]:
    attempt = asyncio.current_task()
    assert attempt is not None

    def cancel() -> None:
        attempt.cancel()

    return cancel


def _unready(handler: Handler, why: object, is_memory: bool) -> Exception:
    message = f"A process could not load the task {handler.name}: {why}"
    return ProcessDied(message) if is_memory else ProcessNotStarted(message)
