"""What the tests do in a transaction of the caller's, the same on every driver."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Any, Protocol, TypeVar

from holdfast.client.app import Holdfast
from holdfast.client.job_handle import JobHandle
from holdfast.client.task import Call, Task

T = TypeVar("T")


class Transaction(Protocol):
    async def write(self, name: str) -> None:
        """A row of the caller's own, by the caller's own means."""

    async def enqueue(self, task: Task[..., T], *args: Any) -> JobHandle[T]: ...

    async def enqueue_many(self, task: Task[..., T], calls: Sequence[Call[T]]) -> list[JobHandle[T]]: ...

    async def enqueue_several(self, app: Holdfast, calls: Sequence[Call[Any]]) -> list[JobHandle[Any]]: ...


class Waiting:
    """On an asynchronous connection."""

    def __init__(self, conn: object, write: Callable[[str], Any]) -> None:
        self._conn = conn
        self._write = write

    async def write(self, name: str) -> None:
        await self._write(name)

    async def enqueue(self, task: Task[..., T], *args: Any) -> JobHandle[T]:
        return await task.using(self._conn).enqueue(*args)

    async def enqueue_many(self, task: Task[..., T], calls: Sequence[Call[T]]) -> list[JobHandle[T]]:
        return await task.using(self._conn).enqueue_many(calls)

    async def enqueue_several(self, app: Holdfast, calls: Sequence[Call[Any]]) -> list[JobHandle[Any]]:
        return await app.enqueue_many(calls, conn=self._conn)


class Blocking:
    """On a synchronous connection, in a thread without an event loop."""

    def __init__(self, conn: object, write: Callable[[str], Any], thread: Executor) -> None:
        self._conn = conn
        self._write = write
        self._thread = thread

    async def write(self, name: str) -> None:
        await self._in_thread(lambda: self._write(name))

    async def enqueue(self, task: Task[..., T], *args: Any) -> JobHandle[T]:
        return await self._in_thread(lambda: task.using(self._conn).enqueue_sync(*args))

    async def enqueue_many(self, task: Task[..., T], calls: Sequence[Call[T]]) -> list[JobHandle[T]]:
        return await self._in_thread(lambda: task.using(self._conn).enqueue_many_sync(calls))

    async def enqueue_several(self, app: Holdfast, calls: Sequence[Call[Any]]) -> list[JobHandle[Any]]:
        return await self._in_thread(lambda: app.enqueue_many_sync(calls, conn=self._conn))

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
