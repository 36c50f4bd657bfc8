"""Handlers that keep something open for as long as their worker runs, such as a pool of connections."""

from abc import ABC, abstractmethod
from typing import Any, Protocol

from holdfast.model.context import Context


class OpenHandler(Protocol):
    """A handler at work: one per worker and task."""

    async def handle(self, payload: Any, ctx: Context) -> Any:
        """Does one job; its payload is taken as it is, whatever names are in it."""

    async def close(self) -> None: ...


class LastingHandler(ABC):
    """What a task may have in place of a function; a worker opens it at its first job and closes it at last.

    It lives here so that a task can recognise it without loading agents.
    """

    name: str

    @abstractmethod
    def open(self) -> OpenHandler: ...

    async def __call__(self, payload: Any, ctx: Context) -> Any:
        """Does one job here and now, with an instance of its own."""
        opened = self.open()
        try:
            return await opened.handle(payload, ctx)
        finally:
            await opened.close()
