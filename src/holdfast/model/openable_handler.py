"""Handlers that keep something open while their worker runs, such as a connection pool."""

from abc import ABC, abstractmethod
from typing import Any, Protocol

from holdfast.model.context import Context


class OpenHandler(Protocol):
    """An open handler: one per worker and task."""

    async def handle(self, payload: Any, ctx: Context) -> Any:
        """Runs one job; its payload may contain any names."""

    async def close(self) -> None: ...


class OpenableHandler(ABC):
    """A task's handler that is not a function; a worker opens it for its first job and closes it on exit.

    It lives here so that a task can recognise it without loading agents.
    """

    name: str

    @abstractmethod
    def open(self) -> OpenHandler: ...

    async def __call__(self, payload: Any, ctx: Context) -> Any:
        """Runs one job at once, with an instance of its own."""
        opened = self.open()
        try:
            return await opened.handle(payload, ctx)
        finally:
            await opened.close()
