"""How a handler reaches the members of its context that wait: by await, or by ctx.blocking."""

import asyncio
from threading import Event
from typing import Any, Protocol

from holdfast import JobContext
from tests.patience import PATIENCE


class Reach(Protocol):
    async def call(self, name: str, /, *args: Any, **options: Any) -> Any: ...

    async def read(self, name: str) -> Any: ...

    async def wait(self, event: Event) -> bool: ...


class Awaiting:
    def __init__(self, ctx: JobContext) -> None:
        self._ctx = ctx

    async def call(self, name: str, /, *args: Any, **options: Any) -> Any:
        return await getattr(self._ctx, name)(*args, **options)

    async def read(self, name: str) -> Any:
        return await getattr(self._ctx, name)

    async def wait(self, event: Event) -> bool:
        try:
            return await asyncio.to_thread(event.wait, PATIENCE)
        except asyncio.CancelledError:
            return event.is_set()


class Blocking:
    """Nothing waits in the coroutine itself: `finished` runs it in one step."""

    def __init__(self, ctx: JobContext) -> None:
        self._ctx = ctx

    async def call(self, name: str, /, *args: Any, **options: Any) -> Any:
        return getattr(self._ctx.blocking, name)(*args, **options)

    async def read(self, name: str) -> Any:
        return getattr(self._ctx.blocking, name)

    async def wait(self, event: Event) -> bool:
        return event.wait(PATIENCE)
