"""Logs of handlers: stored by workers, read by viewers."""

import json
from collections.abc import Collection, Sequence
from typing import NamedTuple

from holdfast.db.read_rows import read_all, read_one
from holdfast.db.statement import Executor, fetch, fetch_value, run
from holdfast.model.handler_log import LogLine, LogMode, LogStorage, LogSummary
from holdfast.model.id import JobId, Token

SAVE = (
    "select holdfast.save_logs($1::uuid[], $2::integer[], $3::uuid[], $4::integer[], $5::json[],"
    " $6::boolean[])"
)
SETTINGS = "select queue, logs from holdfast.log_settings($1::text[])"
LIMIT = "select holdfast.limit_logs($1::bigint, $2::text, $3::text)"
LINES = """
select attempt, part, line, at, level, logger, message
from holdfast.attempt_log_view
where job_id = $1 and ($2::integer is null or attempt = $2) and part <> all ($3::bigint[])
order by attempt, part, line
"""
SUMMARY = """
select attempt, count(*)
from holdfast.attempt_log_view
where job_id = $1
group by attempt
order by attempt
"""
STORAGE = "select bytes, max_bytes, removed_at, removed_to from holdfast.log_storage_view"


class LogPart(NamedTuple):
    """Lines of one attempt as JSON; None deletes the parts that were stored before."""

    job: JobId
    attempt: int
    token: Token
    part: int
    lines: str | None
    is_cut: bool


async def save_logs(on: Executor, parts: Sequence[LogPart]) -> int:
    """Returns how many were stored; one that was stored before is not stored again."""
    columns = [list(column) for column in zip(*parts, strict=True)]
    return int(await fetch_value(on, SAVE, *columns))


async def log_settings(on: Executor, queues: Sequence[str]) -> dict[str, LogMode]:
    return {row["queue"]: LogMode(row["logs"]) for row in await fetch(on, SETTINGS, list(queues))}


async def limit_logs(on: Executor, max_bytes: int, reason: str, actor: str) -> None:
    """Of all attempts together; beyond that the oldest go."""
    await run(on, LIMIT, max_bytes, reason, actor)


async def list_lines(
    on: Executor, job: JobId, attempt: int | None = None, known: Collection[int] = ()
) -> list[LogLine]:
    """By attempt, in the order of writing, without the parts that are known."""
    return await read_all(on, LogLine, LINES, job, attempt, list(known))


async def summaries(on: Executor, job: JobId) -> list[LogSummary]:
    return await read_all(on, LogSummary, SUMMARY, job)


async def storage(on: Executor) -> LogStorage:
    return await read_one(on, LogStorage, STORAGE)


def lines_json(lines: Sequence[Sequence[str]]) -> str:
    return json.dumps(lines)
