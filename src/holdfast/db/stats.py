"""Reports, and the story of one job."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from holdfast.db.statement import Executor, fetch
from holdfast.model.id import JobId
from holdfast.model.payload import decode
from holdfast.model.stats import EndStats, ErrorGroup, StatsBy
from holdfast.model.story import Blocker, TimelineEntry

END_STATS = (
    "select name, jobs, completed, rejected, cancelled, dead, retried, retried_completed, per_minute,"
    " wait_p50, wait_p95, wait_p99, run_p50, run_p95, run_p99"
    " from holdfast.end_stats($1::interval, $2::text, $3::text, $4::text)"
)
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
    """What ended in the last `since`, at most 7 days; the current minute is not in it yet."""
    return [EndStats(*row) for row in await fetch(on, END_STATS, since, by, queue, task)]


async def recent_errors(
    on: Executor, since: timedelta, filters: Mapping[str, Any] | None = None, limit: int = 50
) -> list[ErrorGroup]:
    """Attempts that went wrong in the last `since`, most frequent error first."""
    rows = await fetch(on, RECENT_ERRORS, since, json.dumps(filters or {}), limit)
    return [ErrorGroup(*row) for row in rows]


async def explain(on: Executor, job: JobId) -> list[Blocker]:
    """Why the job is not running, first blocker first; raises NotFound."""
    return [Blocker(*row) for row in await fetch(on, EXPLAIN, job)]


async def timeline(on: Executor, job: JobId, limit: int = 200) -> list[TimelineEntry]:
    """What happened to the job, in order of time; the latest `limit` of it."""
    return [
        TimelineEntry(at, what, attempt, actor, words, {} if detail is None else decode(detail))
        for at, what, attempt, actor, words, detail in await fetch(on, TIMELINE, job, limit)
    ]
