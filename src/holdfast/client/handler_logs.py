"""What the handler of a job logged, by attempt."""

from itertools import groupby
from typing import Any

from holdfast.db import jobs, logs
from holdfast.db.statement import Executor
from holdfast.model.error import NotFound
from holdfast.model.handler_log import LogLine
from holdfast.model.id import JobId

SHOWN = ("at", "level", "logger", "message")


async def read_logs(on: Executor, job: JobId, attempt: int | None = None) -> list[LogLine]:
    """In the order of writing; raises NotFound."""
    if await jobs.get_job(on, job) is None:
        raise NotFound(f"There is no job {job}.")
    return await logs.list_lines(on, job, attempt)


def by_attempt(lines: list[LogLine]) -> list[dict[str, Any]]:
    """As JSON documents show them."""
    return [
        {"attempt": attempt, "lines": [{name: getattr(line, name) for name in SHOWN} for line in found]}
        for attempt, found in groupby(lines, lambda line: line.attempt)
    ]
