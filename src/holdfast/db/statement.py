"""The one place where statements are sent."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from asyncpg import Record

from holdfast.db.errors import translated
from holdfast.model.error import SchemaBehind


class Fetcher(Protocol):
    """What answers a query with rows whose columns can be taken by position."""

    async def fetch(self, query: str, /, *args: Any) -> list[Record]: ...


class Executor(Fetcher, Protocol):
    """What runs any statement: a Database, or an asyncpg connection."""

    async def execute(self, query: str, /, *args: Any) -> str: ...


# A statement that says what something is to be.
Declare = Callable[[Executor], Awaitable[object]]


async def fetch(on: Fetcher, query: str, *args: Any) -> list[Record]:
    with translated():
        return await on.fetch(query, *args)


async def fetch_row(on: Fetcher, query: str, *args: Any) -> Record | None:
    rows = await fetch(on, query, *args)
    return rows[0] if rows else None


async def fetch_one(on: Fetcher, query: str, *args: Any) -> Record:
    """The one row that a verb always returns."""
    row = await fetch_row(on, query, *args)
    if row is None:
        raise SchemaBehind(f"No row came back from: {query}.")
    return row


async def fetch_value(on: Fetcher, query: str, *args: Any) -> Any:
    """The first column of the one row that `query` returns."""
    rows = await fetch(on, query, *args)
    return rows[0][0] if rows else None


async def run(on: Executor, query: str, *args: Any) -> None:
    with translated():
        await on.execute(query, *args)
