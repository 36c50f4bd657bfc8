"""Messages for tests: claimed, ended and listed by the real verbs."""

from typing import Any
from uuid import UUID

from holdfast.db.connect import Connection
from tests.builders import refusal

CLAIM = "select * from holdfast.claim_message($1, $2, $3, $4)"
END = "select * from holdfast.end_message($1, $2, $3, $4)"
PENDING = "select * from holdfast.pending_messages($1, $2, $3)"


async def claim(conn: Connection, key: UUID, worker: str | None, message: str, group: str = "") -> bool:
    row = await conn.fetchrow(CLAIM, key, worker, message, group)
    assert row is not None
    return bool(row["is_claimed"])


async def end(conn: Connection, key: UUID, worker: str | None, message: str, verb: str = "complete") -> str:
    row = await conn.fetchrow(END, key, worker, message, verb)
    assert row is not None
    state: str = row["state"]
    return state


async def pending(conn: Connection, key: UUID, group: str = "", limit: int = 10) -> list[str]:
    return [row["message_id"] for row in await conn.fetch(PENDING, key, group, limit)]


async def is_lost(conn: Connection, *call: Any) -> bool:
    return (await refusal(conn, END, *call)).sqlstate == "HF006"
