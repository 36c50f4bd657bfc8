"""The verbs of a JobContext for a handler in a thread: each waits for the worker's loop to do it."""

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.model.id import JobId

if TYPE_CHECKING:
    from holdfast.worker.context import JobContext

T = TypeVar("T")


class BlockingContext:
    __slots__ = ("_context", "_loop")

    def __init__(self, context: "JobContext", loop: asyncio.AbstractEventLoop) -> None:
        self._context = context
        self._loop = loop

    def checkpoint(self, name: str, data: Any) -> None:
        self._do(self._context.checkpoint(name, data))

    def checkpoints(self) -> dict[str, Any]:
        return self._do(self._context.checkpoints())

    def progress(
        self, done: int, total: int | None = None, failed: int | None = None, note: str | None = None
    ) -> None:
        self._do(self._context.progress(done, total, failed, note))

    def enqueue(self, task: Any, payload: Any = None, **options: Any) -> JobId:
        return self._do(self._context.enqueue(task, payload, **options))

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()
