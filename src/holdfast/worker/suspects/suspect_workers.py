"""Separate workers for suspects: each runs one job at a time, so that a crash affects no other job.

A suspect is a job whose worker disappeared, or exited again and again, while the job ran. The database hands
out each suspect alone. A worker with a command starts such workers as child processes; one without runs a
suspect itself, when it runs nothing else.
"""

import asyncio
import os
import socket
from asyncio import StreamReader, StreamWriter
from asyncio.subprocess import Process
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from enum import StrEnum
from time import monotonic

from holdfast.db.statement import Executor
from holdfast.db.worker import suspects_waiting
from holdfast.model.id import WorkerId
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event
from holdfast.worker.own_task import OwnTask

# In the environment of a child: the queue whose suspects it runs.
QUEUE = "HOLDFAST_SUSPECTS_OF"
# For a child to exit after the grace period that it shares with its parent, or to be released from outside.
GOODBYE = timedelta(seconds=5)
# A start takes half a second of a core: more at once would only delay all of them.
STARTING_AT_ONCE = os.cpu_count() or 1
# A child that starts on a busy machine is silent for a while, too.
LEAST_SILENCE = timedelta(seconds=30)
READY = b"r"


class Isolation(StrEnum):
    """What a worker does about suspects, as the database knows it."""

    SELF = "self"
    CHILDREN = "children"
    ONLY = "only"


class SuspectWorkers:
    """The children of one worker. The connection between them shows each side whether the other is alive."""

    def __init__(
        self, me: WorkerId, command: Sequence[str], lease: timedelta, on_ready: Callable[[], None]
    ) -> None:
        """`on_ready`: called when a child has started, so that `start` runs again soon."""
        self._me = me
        self._command = command
        self._silence = max(2 * lease, LEAST_SILENCE).total_seconds()
        self._on_ready = on_ready
        self._children: set[_Child] = set()
        self._is_closed = False
        self._alone = (
            asyncio.Lock()
        )  # a draining worker runs all maintenance tasks once, besides those that are due

    async def start(self, on: Executor) -> int:
        """A maintenance task: starts as many as the database requests, and kills those that hang."""
        async with self._alone:
            for child in self._children:
                child.kill_if_silent(self._silence)
            started = 0
            for queue, wanted in await suspects_waiting(on, self._me):
                while self._may_start(queue, wanted):
                    await self._start(queue)
                    started += 1
            return started

    def _may_start(self, queue: str, wanted: int) -> bool:
        return not self._is_closed and wanted > self._starting(queue) and self._starting() < STARTING_AT_ONCE

    def _starting(self, queue: str | None = None) -> int:
        """Children that have not registered yet."""
        return sum(not child.is_ready and queue in (None, child.queue) for child in self._children)

    def stop(self) -> None:
        """Stops all; the second time at once."""
        self._is_closed = True
        for child in self._children:
            child.tell_to_stop()

    async def close(self, grace: timedelta) -> None:
        """Waits until all have exited, and kills those that do not within the grace period."""
        async with self._alone:
            children = list(self._children)
        if not children:
            return
        await asyncio.wait([child.over for child in children], timeout=(grace + GOODBYE).total_seconds())
        for child in children:
            child.kill()
        await asyncio.wait([child.over for child in children])

    async def _start(self, queue: str) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            streams = await asyncio.open_unix_connection(sock=ours)
            try:
                process = await asyncio.create_subprocess_exec(
                    *self._command, stdin=theirs.fileno(), env={**os.environ, QUEUE: queue}
                )
            except BaseException:
                streams[1].close()
                raise
        emit(Event.SUSPECT_WORKER_STARTED, child=process.pid, queue=queue)
        child = _Child(process, queue, streams, self._on_ready)
        self._children.add(child)
        child.over.add_done_callback(lambda _: self._children.discard(child))
        if self._is_closed:
            child.tell_to_stop()


class _Child:
    def __init__(
        self,
        process: Process,
        queue: str,
        streams: tuple[StreamReader, StreamWriter],
        on_ready: Callable[[], None],
    ) -> None:
        self.queue = queue
        self.is_ready = False
        self._process = process
        self._reader, self._writer = streams
        self._on_ready = on_ready
        self._heard_at = monotonic()
        self._was_silent = False
        self.over = OwnTask(self._attend())

    def kill_if_silent(self, seconds: float) -> None:
        """Only after two silent rounds: if this worker's own loop was blocked, heartbeats are waiting to be
        read.
        """
        is_silent = monotonic() - self._heard_at > seconds
        if is_silent and self._was_silent:
            self.kill()
        self._was_silent = is_silent

    def tell_to_stop(self) -> None:
        self._writer.write(b"s")

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()

    async def _attend(self) -> None:
        with suppress(ConnectionError):
            while beats := await self._reader.read(100):
                self._heard_at = monotonic()
                if READY in beats:
                    self.is_ready = True
                    self._on_ready()
        self._writer.close()
        code = await self._process.wait()
        emit(Event.SUSPECT_WORKER_ENDED, child=self._process.pid, code=code)
