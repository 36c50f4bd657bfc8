"""Statistics, and the timeline of one job."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from holdfast.db.read_rows import read_all
from holdfast.db.statement import Executor
from holdfast.model.id import JobId
from holdfast.model.stats import EndStats, ErrorGroup, StatsBy
from holdfast.model.timeline import Blocker, TimelineEntry

END_STATS = (
    "select name, jobs, completed, rejected, cancelled, dead, retried, retried_completed, per_minute,"
    " wait_p50, wait_p95, wait_p99, run_p50, run_p95, run_p99"
    " from holdfast.end_stats($1::interval, $2::text, $3::text, $4::text)"
)
KEEP_STATISTICS = "select holdfast.keep_statistics($1::interval, $2::interval, $3::text, $4::text)"
RECENT_ERRORS = (
    "select fingerprint, class, error_type, message, place, outcomes, queues, tasks, attempts, jobs,"
    " first_at, last_at, sample, is_partial"
    " from holdfast.recent_errors($1::interval, $2::jsonb, $3::integer)"
)
EXPLAIN = "select blocker, detail, until, blocks from holdfast.explain($1::uuid)"
TIMELINE = "select at, what, attempt, actor, words, detail from holdfast.timeline($1::uuid, $2::integer)"


async def end_stats(
    on: Executor,
    since: timedelta,
    by: StatsBy = StatsBy.QUEUE,
    queue: str | None = None,
    task: str | None = None,
) -> list[EndStats]:
    """The jobs that ended in the last `since`, at most 7 days, without the current minute."""
    return await read_all(on, EndStats, END_STATS, since, by, queue, task)


async def keep_statistics(
    on: Executor, minutes: timedelta, hours: timedelta, reason: str, actor: str
) -> None:
    """How long statistics are kept by minute, and by hour."""
    await on.execute(KEEP_STATISTICS, minutes, hours, reason, actor)


async def recent_errors(
    on: Executor, since: timedelta, filters: Mapping[str, Any] | None = None, limit: int = 50
) -> list[ErrorGroup]:
    """Failed attempts of the last `since`, most frequent error first."""
    return await read_all(on, ErrorGroup, RECENT_ERRORS, since, json.dumps(filters or {}), limit)


async def explain(on: Executor, job: JobId) -> list[Blocker]:
    """Why the job is not running, first blocker first; raises NotFound."""
    return await read_all(on, Blocker, EXPLAIN, job)


async def timeline(on: Executor, job: JobId, limit: int = 200) -> list[TimelineEntry]:
    """What happened to the job, in order of time; the latest `limit` of it."""
    return await read_all(on, TimelineEntry, TIMELINE, job, limit)
