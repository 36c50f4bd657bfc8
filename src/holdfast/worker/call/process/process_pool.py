"""The worker's child processes: one per running attempt in process mode, reused for the same task."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta

from holdfast.model.outcome import End, Verb
from holdfast.worker.attempt.handler import Handler
from holdfast.worker.attempt.running_attempt import Attempt
from holdfast.worker.call.process.child_process import ChildProcess, start_child
from holdfast.worker.call.process.child_requests import answer_requests
from holdfast.worker.call.process.process_death import ProcessDied, ProcessNotStarted
from holdfast.worker.call.process.task_location import location_of
from holdfast.worker.claim.slots import Slots
from holdfast.worker.context.context_port import ContextPort

IDLE = 60.0
REAP = 5.0
# For a child that is no longer needed to close its resources.
CLOSE = 10.0


class ProcessPool:
    """Never more children than slots: an idle child of another task is closed if necessary."""

    def __init__(self, slots: Slots, app_path: str | None) -> None:
        self._slots = slots
        self._app_path = app_path
        self._count = 0
        self._children: set[ChildProcess] = set()
        self._idle: dict[ChildProcess, str] = {}  # the task that each has loaded; the longest idle first
        self._room = asyncio.Event()

    async def run(self, attempt: Attempt, port: ContextPort) -> End:
        """Runs one attempt. Cancelling it kills the child; the end of the child ends the attempt."""
        attempt.abandon = _cancelling_this()
        child = await self._child_for(attempt.handler)
        try:
            end, is_last = await answer_requests(child, attempt, port)
        except BaseException:
            child.end()
            raise
        finally:
            attempt.forward_cancel = attempt.forward_yield = None
        if is_last:
            child.end()
        else:
            self._keep(child, attempt.handler.name)
        if attempt.stop is not None and end.verb not in (Verb.COMPLETE, Verb.ADVANCE):
            raise ProcessDied("The handler ended after a request to stop.")
        return end

    async def close(self, within: timedelta) -> None:
        """Ends and reaps all children; idle ones may close their resources first."""
        children, seconds = list(self._children), within.total_seconds()
        for child in children:
            if child in self._idle or child.is_ending:
                child.leave(seconds)
            else:
                child.end()
        if children:
            await asyncio.wait([child.over for child in children], timeout=seconds + REAP)

    async def _child_for(self, handler: Handler) -> ChildProcess:
        for child, task in reversed(self._idle.items()):
            if task == handler.name and child.is_alive and not child.is_ending:
                del self._idle[child]
                child.keep()
                return child
        return await self._new_child(handler)

    async def _new_child(self, handler: Handler) -> ChildProcess:
        location, limits = location_of(handler, self._app_path), handler.process
        assert limits is not None
        await self._make_room()
        child = await self._start()
        try:
            await child.tell({"load": asdict(location), "limits": asdict(limits)})
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
        # More than slots while those are fewer than the attempts that run already.
        while self._count >= max(self._slots.total, len(self._slots.running)):
            self._room.clear()
            if not any(child.is_ending for child in self._children):
                self._end_longest_idle()
            await self._room.wait()

    def _end_longest_idle(self) -> None:
        for child in list(self._idle)[:1]:
            del self._idle[child]
            child.leave(CLOSE)

    async def _start(self) -> ChildProcess:
        self._count += 1
        try:
            child = await start_child()
        except BaseException:
            self._vacate()
            raise
        self._children.add(child)
        child.over.add_done_callback(lambda _: self._forget(child))
        return child

    def _keep(self, child: ChildProcess, task: str) -> None:
        if child in self._children:
            self._idle[child] = task
            child.leave_after(IDLE, CLOSE)
            self._room.set()  # a caller that waits for room may end it

    def _forget(self, child: ChildProcess) -> None:
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
