"""The one place where statements are sent."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import asyncpg
from asyncpg import Record

from holdfast.db.database_errors import BROKEN, translate
from holdfast.db.needed_role import role_hint
from holdfast.model.error import HoldfastError, PermissionDenied, SchemaBehind


class Fetcher(Protocol):
    """Runs a query whose rows can be read by position."""

    async def fetch(self, query: str, /, *args: Any) -> list[Record]: ...


class Executor(Fetcher, Protocol):
    """Runs any statement: a Database, or an asyncpg connection."""

    async def execute(self, query: str, /, *args: Any) -> str: ...


# A statement that declares a queue, task, pipeline or endpoint.
Declare = Callable[[Executor], Awaitable[object]]


async def fetch(on: Fetcher, query: str, *args: Any) -> list[Record]:
    try:
        return await on.fetch(query, *args)
    except (*BROKEN, PermissionDenied) as exc:
        raise _translated(exc, query) from exc.__cause__ or exc


async def fetch_row(on: Fetcher, query: str, *args: Any) -> Record | None:
    rows = await fetch(on, query, *args)
    return rows[0] if rows else None


async def fetch_one(on: Fetcher, query: str, *args: Any) -> Record:
    """The one row that a verb always returns."""
    row = await fetch_row(on, query, *args)
    if row is None:
        raise SchemaBehind(f"The statement returned no row: {query}.")
    return row


async def fetch_value(on: Fetcher, query: str, *args: Any) -> Any:
    """The first column of the one row that `query` returns."""
    rows = await fetch(on, query, *args)
    return rows[0][0] if rows else None


async def run(on: Executor, query: str, *args: Any) -> None:
    try:
        await on.execute(query, *args)
    except (*BROKEN, PermissionDenied) as exc:
        raise _translated(exc, query) from exc.__cause__ or exc


def _translated(exc: Exception, query: str) -> HoldfastError:
    """A user without any role may not use the schema; only the statement shows which role it needs."""
    error = translate(exc)
    if isinstance(exc, PermissionDenied | asyncpg.InsufficientPrivilegeError):
        error.hint = role_hint(error.message, query) or error.hint
    return error
