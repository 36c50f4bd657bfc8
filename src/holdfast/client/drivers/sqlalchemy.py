"""SQLAlchemy 2: connections of its core and sessions of its ORM, over whichever driver of PostgreSQL."""

import re
from typing import Any, TypeAlias

from sqlalchemy import Connection, TextClause, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession, async_scoped_session
from sqlalchemy.orm import Session, scoped_session

from holdfast.client.drivers.errors import translated

AnyConnection: TypeAlias = "Connection | Session | scoped_session[Any]"
AnyAsyncConnection: TypeAlias = "AsyncConnection | AsyncSession | async_scoped_session[Any]"


class Sqlalchemy:
    blocks = True

    def __init__(self, conn: AnyConnection) -> None:
        self._conn = conn

    async def fetch(self, query: str, /, *args: Any) -> list[Any]:
        with translated(DBAPIError):
            return [*self._conn.execute(*_statement(query, args))]


class AsyncSqlalchemy:
    blocks = False

    def __init__(self, conn: AnyAsyncConnection) -> None:
        self._conn = conn

    async def fetch(self, query: str, /, *args: Any) -> list[Any]:
        with translated(DBAPIError):
            return [*await self._conn.execute(*_statement(query, args))]


def _statement(query: str, args: tuple[Any, ...]) -> tuple[TextClause, dict[str, Any]]:
    """`$1` becomes `:p1`, with a blank: SQLAlchemy sees no parameter where a cast follows at once."""
    return text(re.sub(r"\$(\d+)", r":p\1 ", query)), {f"p{i}": value for i, value in enumerate(args, 1)}
