"""Stand-ins for the database of a worker's maintenance task."""

import asyncio
from typing import Any, NoReturn

from holdfast.model.error import DatabaseUnavailable

GONE = DatabaseUnavailable("gone")


class Slow:
    """Answers when both reads have asked."""

    def __init__(self) -> None:
        self._both = asyncio.Barrier(2)

    async def fetch(self, query: str, /, *args: object) -> list[Any]:
        await self._both.wait()
        return []

    async def execute(self, query: str, /, *args: object) -> NoReturn:
        raise NotImplementedError


class Unreachable:
    async def fetch(self, query: str, /, *args: object) -> NoReturn:
        raise GONE

    async def execute(self, query: str, /, *args: object) -> NoReturn:
        raise GONE
