"""The caller's own connection, on which jobs are enqueued in the caller's own transaction."""

from typing import Any

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from holdfast.db.connect import Connection
from holdfast.model.error import InvalidInput


def check_connection(conn: Any) -> Connection:
    if isinstance(conn, asyncpg.Connection | PoolConnectionProxy):
        return conn
    raise InvalidInput(
        f"{type(conn).__module__}.{type(conn).__qualname__} is not an asyncpg connection.",
        "pass the asyncpg connection that your transaction runs on; with another driver, call"
        " the SQL function holdfast.enqueue in the transaction",
    )
