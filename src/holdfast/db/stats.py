"""Statistics, and the timeline of one job."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from holdfast.db.read_rows import read, read_all
from holdfast.db.statement import Executor, fetch
from holdfast.model.id import JobId
from holdfast.model.stats import (
    CallsBy,
    CallStats,
    EndStats,
    ErrorGroup,
    ErrorPage,
    ErrorTotal,
    MinuteStats,
    StatsBy,
    TimeParts,
)
from holdfast.model.timeline import Blocker, TimelineEntry

END_STATS = (
    "select name, jobs, completed, rejected, cancelled, dead, retried, retried_completed, per_minute,"
    " wait_p50, wait_p95, wait_p99, run_p50, run_p95, run_p99, advanced, failed, lost, retries, units, cost,"
    " wait_mean, run_mean, is_partial from holdfast.end_stats($1::interval, $2::text, $3::text, $4::text)"
)
CALL_STATS = (
    "select name, calls, errors, units, cost, seconds, mean, p50, p95, p99, is_partial"
    " from holdfast.call_stats($1::interval, $2::text, $3::text, $4::text)"
)
TIME_PARTS = (
    "select name, attempts, waiting, database, model, tool, handler"
    " from holdfast.time_parts($1::interval, $2::text, $3::text)"
)
STATS_BY_MINUTE = (
    "select minute, is_hour, queue, enqueued, ended, completed, rejected, cancelled, dead, failed, units,"
    " cost, is_partial from holdfast.stats_by_minute($1::interval, $2::text)"
)
KEEP_STATISTICS = "select holdfast.keep_statistics($1::interval, $2::interval, $3::text, $4::text)"
# The fields of ErrorGroup, in their order, and the number of groups. The first row counts all errors.
ERROR_GROUPS = (
    "select fingerprint, class, error_type, message, place, outcomes, queues, tasks, stages, versions,"
    " attempts, jobs, before, trend, first_at, last_at, sample, looked, dead, completed, is_partial, groups"
    " from holdfast.error_groups($1::interval, $2::jsonb, $3::integer, $4::integer, $5::integer,"
    " $6::integer, $7::timestamptz)"
)
MOST_GROUPS = 1000
EXPLAIN = "select blocker, detail, until, blocks from holdfast.explain($1::uuid)"
TIMELINE = "select at, what, attempt, actor, words, detail from holdfast.timeline($1::uuid, $2::integer)"


async def end_stats(
    on: Executor,
    since: timedelta,
    by: StatsBy = StatsBy.QUEUE,
    queue: str | None = None,
    task: str | None = None,
) -> list[EndStats]:
    """What ended in the last `since`, as far back as statistics are kept."""
    return await read_all(on, EndStats, END_STATS, since, by, queue, task)


async def call_stats(
    on: Executor,
    since: timedelta,
    by: CallsBy = CallsBy.MODEL,
    queue: str | None = None,
    task: str | None = None,
) -> list[CallStats]:
    """How models and tools were called in the last `since`."""
    return await read_all(on, CallStats, CALL_STATS, since, by, queue, task)


async def time_parts(
    on: Executor, since: timedelta, queue: str | None = None, task: str | None = None
) -> list[TimeParts]:
    """Where the time of each task went in the last `since`."""
    return await read_all(on, TimeParts, TIME_PARTS, since, queue, task)


async def stats_by_minute(on: Executor, since: timedelta, queue: str | None = None) -> list[MinuteStats]:
    """What ended and failed in the last `since`, newest minute first; hours where minutes were folded."""
    return await read_all(on, MinuteStats, STATS_BY_MINUTE, since, queue)


async def keep_statistics(
    on: Executor, minutes: timedelta, hours: timedelta, reason: str, actor: str
) -> None:
    """How long statistics are kept by minute, and by hour."""
    await on.execute(KEEP_STATISTICS, minutes, hours, reason, actor)


async def error_groups(
    on: Executor,
    since: timedelta,
    filters: Mapping[str, Any] | None = None,
    limit: int = 50,
    skip: int = 0,
    slices: int = 30,
    look: int = 0,
    until: datetime | None = None,
) -> ErrorPage:
    """Attempts that went wrong in the last `since`, or in the one before `until`.

    `look`: how many of the newest jobs of each group are looked for in history, to count their ends.
    """
    limit = min(limit, MOST_GROUPS)
    asked = json.dumps(filters or {})
    total, *groups = await fetch(on, ERROR_GROUPS, since, asked, limit, skip, slices, look, until)
    shared = {name: total[name] for name in ErrorTotal.__dataclass_fields__}
    return ErrorPage(ErrorTotal(**shared), [read(ErrorGroup, tuple(row)[:-1]) for row in groups])


async def explain(on: Executor, job: JobId) -> list[Blocker]:
    """Why the job is not running, first blocker first; raises NotFound."""
    return await read_all(on, Blocker, EXPLAIN, job)


async def timeline(on: Executor, job: JobId, limit: int = 200) -> list[TimelineEntry]:
    """What happened to the job, in order of time; the latest `limit` of it."""
    return await read_all(on, TimelineEntry, TIMELINE, job, limit)
