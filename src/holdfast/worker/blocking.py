"""The verbs of a JobContext for a handler in a thread: each waits for the worker's loop to do it."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import TYPE_CHECKING, Any, TypeVar, overload

from holdfast.model.id import JobId
from holdfast.model.journey import Visit
from holdfast.worker.unnamed import UNNAMED

if TYPE_CHECKING:
    from holdfast.worker.context import JobContext

T = TypeVar("T")


class BlockingContext:
    __slots__ = ("_context", "_loop")

    def __init__(self, context: "JobContext", loop: asyncio.AbstractEventLoop) -> None:
        self._context = context
        self._loop = loop

    @property
    def context(self) -> dict[str, Any]:
        """The latest output of each stage visited before, by name."""
        return self._do(_value(self._context.context))

    @property
    def history(self) -> list[Visit]:
        """All outputs, errors and rejections so far, in order."""
        return self._do(_value(self._context.history))

    @property
    def resume_data(self) -> Any:
        """What `checkpoint(data)` saved last, or None."""
        return self._do(_value(self._context.resume_data))

    @overload
    def checkpoint(self, data: Any, /) -> None: ...

    @overload
    def checkpoint(self, name: str, data: Any) -> None: ...

    def checkpoint(self, name: Any, data: Any = UNNAMED) -> None:
        self._do(self._context.checkpoint(name, data))

    def checkpoints(self) -> dict[str, Any]:
        return self._do(self._context.checkpoints())

    def step(self, name: str, work: Callable[[], Any]) -> Any:
        """What `work` gave when it was first done, in this thread; once recorded it is not done again."""
        saved = self.checkpoints()
        if name not in saved:
            self.checkpoint(name, work())
        return saved[name]

    def wait_for(self, name: str, **options: Any) -> Any:
        return self._do(self._context.wait_for(name, **options))

    def spawn(self, task: Any, payloads: Iterable[Any], **options: Any) -> list[Any]:
        return self._do(self._context.spawn(task, payloads, **options))

    def progress(
        self, done: int, total: int | None = None, failed: int | None = None, note: str | None = None
    ) -> None:
        self._do(self._context.progress(done, total, failed, note))

    def enqueue(self, task: Any, payload: Any = None, **options: Any) -> JobId:
        return self._do(self._context.enqueue(task, payload, **options))

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


async def _value(loaded: Awaitable[T]) -> T:
    return await loaded
