"""A job's context in a child: the worker does what it asks for."""

import asyncio
from collections.abc import Coroutine
from threading import Event
from typing import Any, NoReturn, TypeVar
from uuid import UUID

from holdfast.model.error import BadHandler
from holdfast.model.id import JobId
from holdfast.model.payload import decode, encode
from holdfast.worker.blocking import BlockingContext
from holdfast.worker.context import JobContext
from holdfast.worker.processes.inside.line import Line
from holdfast.worker.running import Running

T = TypeVar("T")


class ProcessContext(JobContext):
    """All of JobContext but the transaction, which cannot span two processes."""

    __slots__ = ("_key", "_line")

    def __init__(self, running: Running, line: Line, key: str, cancelled: Event) -> None:
        self._running = running
        self._checkpoints = None
        self._line = line
        self._key = key
        self.cancelled = running.cancelled = cancelled

    @property
    def blocking(self) -> BlockingContext:
        return ProcessBlockingContext(self)

    def idempotency_key(self, step: str = "") -> str:
        return self._key + step

    def units(self, used: float) -> None:
        """Told at once: they count even if the process is killed."""
        super().units(used)
        self._line.send({"units": used})

    async def checkpoint(self, name: str, data: Any) -> None:
        value = decode(encode(data))
        await asyncio.wrap_future(self._line.ask("checkpoint", name=name, data=value))
        if self._checkpoints is not None:
            self._checkpoints[name] = value

    async def checkpoints(self) -> dict[str, Any]:
        if self._checkpoints is None:
            self._checkpoints = dict(await asyncio.wrap_future(self._line.ask("checkpoints")))
        return self._checkpoints

    async def progress(
        self, done: int, total: int | None = None, failed: int | None = None, note: str | None = None
    ) -> None:
        asked = self._line.ask("progress", done=done, total=total, failed=failed, note=note)
        await asyncio.wrap_future(asked)

    async def enqueue(self, task: Any, payload: Any = None, **options: Any) -> JobId:
        name = task if isinstance(task, str) else task.name
        value = decode(encode({} if payload is None else payload))
        asked = self._line.ask("enqueue", task=name, payload=value, options=decode(encode(options)))
        return JobId(UUID(await asyncio.wrap_future(asked)))

    def transaction(self, output: Any = None) -> NoReturn:
        raise BadHandler(
            "A handler in process mode has no transaction with its completion.",
            'leave out mode="process", or let a second task write what this one returns',
        )


class ProcessBlockingContext(BlockingContext):
    """For a plain function, which has the process to itself."""

    __slots__ = ()

    def __init__(self, context: ProcessContext) -> None:
        self._context = context

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run(work)
