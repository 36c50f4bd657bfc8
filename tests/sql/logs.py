"""Logs of handlers, as a worker stores them and a reader finds them."""

import json
from typing import Any

from holdfast.db.connect import Connection
from tests.builders import Running

SAVE = "select holdfast.save_logs($1, $2, $3, $4, $5::json[], $6)"
LINES = """
select attempt, level, logger, message
from holdfast.attempt_log_view
where job_id = $1
order by attempt, part, line
"""


def line(message: str, level: str = "INFO", logger: str = "shop") -> list[str]:
    return ["2030-01-31T09:00:00.123+00:00", level, logger, message]


async def save(
    conn: Connection, job: Running, *lines: list[str] | str, part: int = 0, is_cut: bool = False
) -> int:
    """A text is a line with that message."""
    text = json.dumps([line(one) if isinstance(one, str) else one for one in lines])
    return await _save(conn, job, part, text, is_cut)


async def forget(conn: Connection, job: Running) -> int:
    return await _save(conn, job, 0, None, False)


async def _save(conn: Connection, job: Running, part: int, lines: str | None, is_cut: bool) -> int:
    columns: list[Any] = [[job.id], [job.attempt], [job.token], [part], [lines], [is_cut]]
    saved: int = await conn.fetchval(SAVE, *columns)
    return saved


async def messages(conn: Connection, job: Running) -> list[str]:
    return [row["message"] for row in await conn.fetch(LINES, job.id)]


async def total(conn: Connection) -> int:
    """The size of all logs, as it is counted."""
    counted: int = await conn.fetchval("select bytes from holdfast.log_storage_view")
    stored = await conn.fetchval("select coalesce(sum(size), 0) from holdfast.attempt_logs")
    assert counted == stored
    return counted
