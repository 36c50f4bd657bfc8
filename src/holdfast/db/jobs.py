"""The verbs on jobs for producers, operators and readers."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.db import rows
from holdfast.db.statement import Executor, Fetcher, fetch, fetch_row, run
from holdfast.model.id import JobId
from holdfast.model.job import Enqueued, Job, JobPage
from holdfast.model.payload import JsonText
from holdfast.model.queue import CancelledJob, ReplayedJob

# The JSON goes as text: on a caller's own connection json may have a codec, which would encode it once more.
ENQUEUE = (
    "select job_id, created from holdfast.enqueue_jobs("
    "$1::text[], holdfast.read_payloads($2::text[]), $3::text::jsonb, $4::text[]::jsonb[])"
)
NOTIFY = "select holdfast.notify_ready($1::text[])"
CANCEL = "select job_id, result from holdfast.cancel_jobs($1::uuid[], $2::text, $3::text)"
REPLAY = "select job_id, result from holdfast.replay_jobs($1::uuid[], $2::text, $3::text)"
REPLAY_FROM_STAGE = (
    "select job_id, result from holdfast.replay_from_stage($1::uuid[], $4::text, $2::text, $3::text)"
)
GET = "select * from holdfast.get_job($1::uuid)"
LIST = "select * from holdfast.list_jobs($1::jsonb, $2::uuid, $3::integer)"

Options = Mapping[str, Any]
MOST_JOBS = 1000  # that one call lists


async def enqueue_jobs(
    on: Fetcher,
    tasks: Sequence[str],
    payloads: Sequence[JsonText],
    options: Options | None = None,
    each: Sequence[Options | None] | None = None,
) -> list[Enqueued]:
    """Store one job per payload, all or none. `tasks` has one element for all or one per payload.

    The options are in the form of the SQL verb: durations as seconds, times as text, ids as text.
    """
    overrides = None if each is None else [None if one is None else json.dumps(one) for one in each]
    answer = await fetch(on, ENQUEUE, list(tasks), list(payloads), json.dumps(options or {}), overrides)
    return [rows.enqueued(row) for row in answer]


async def notify_ready(on: Executor, queues: Sequence[str]) -> None:
    """Wake the idle workers of these queues."""
    await run(on, NOTIFY, list(queues))


async def cancel_jobs(
    on: Executor, ids: Sequence[JobId], reason: str | None, actor: str
) -> list[CancelledJob]:
    return [rows.cancelled_job(row) for row in await fetch(on, CANCEL, list(ids), reason, actor)]


async def replay_jobs(
    on: Executor, ids: Sequence[JobId], reason: str | None, actor: str, stage: str | None = None
) -> list[ReplayedJob]:
    """From a stage of their pipeline; without one, each starts at the stage where it ended."""
    if stage is None:
        found = await fetch(on, REPLAY, list(ids), reason, actor)
    else:
        found = await fetch(on, REPLAY_FROM_STAGE, list(ids), reason, actor, stage)
    return [rows.replayed_job(row) for row in found]


async def get_job(on: Executor, job: JobId) -> Job | None:
    row = await fetch_row(on, GET, job)
    return None if row is None else rows.job(row)


async def list_jobs(
    on: Executor, filters: Options | None = None, before: JobId | None = None, limit: int = 100
) -> list[Job]:
    """Jobs that match, newest first, up to the limit; `before` is the last id of the page shown last."""
    found: list[Job] = []
    while len(found) < limit:
        page = await page_jobs(on, filters, before, limit - len(found))
        found += page.jobs
        before = page.next
        if before is None:
            break
    return found


async def page_jobs(
    on: Executor, filters: Options | None = None, before: JobId | None = None, limit: int = 100
) -> JobPage:
    """What one call finds. It looks at a bounded number of jobs, however few of them match."""
    limit = min(limit, MOST_JOBS)
    found = await fetch(on, LIST, json.dumps(filters or {}), before, limit)
    matching = [rows.job(row) for row in found if row["state"] is not None]
    is_cut = len(matching) == limit or len(matching) < len(found)
    return JobPage(matching, found[-1]["id"] if is_cut and found else None)
