"""The one place where statements are sent."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import asyncpg
from asyncpg import Record

from holdfast.db.errors import translate, translated
from holdfast.db.needed_role import role_hint
from holdfast.model.error import PermissionDenied, SchemaBehind


class Fetcher(Protocol):
    """What answers a query with rows whose columns can be taken by position."""

    async def fetch(self, query: str, /, *args: Any) -> list[Record]: ...


class Executor(Fetcher, Protocol):
    """What runs any statement: a Database, or an asyncpg connection."""

    async def execute(self, query: str, /, *args: Any) -> str: ...


# A statement that says what something is to be.
Declare = Callable[[Executor], Awaitable[object]]


async def fetch(on: Fetcher, query: str, *args: Any) -> list[Record]:
    with translated(), _naming_role(query):
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
    with translated(), _naming_role(query):
        await on.execute(query, *args)


@contextmanager
def _naming_role(query: str) -> Iterator[None]:
    """A user without any role is refused the schema, and only the statement tells which role it needs."""
    try:
        yield
    except (PermissionDenied, asyncpg.InsufficientPrivilegeError) as exc:
        refused = translate(exc)
        refused.hint = role_hint(refused.message, query) or refused.hint
        raise refused from exc.__cause__ or exc
