"""SQLAlchemy 2: connections of its core and sessions of its ORM, over any PostgreSQL driver."""

import re
from typing import Any, TypeAlias

from sqlalchemy import Connection, TextClause, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession, async_scoped_session
from sqlalchemy.orm import Session, scoped_session

from holdfast.client.drivers.driver_errors import translated

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
    """`$1` becomes `:p1` and a space: SQLAlchemy does not recognise a parameter directly before a cast."""
    return text(re.sub(r"\$(\d+)", r":p\1 ", query)), {f"p{i}": value for i, value in enumerate(args, 1)}
