"""The verbs on jobs for producers, operators and readers."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from holdfast.db.read_rows import enqueued, read, read_all, read_first, read_results
from holdfast.db.statement import Executor, Fetcher, fetch, fetch_value, run
from holdfast.model.attempt import Attempt, JobError
from holdfast.model.checkpoint import Checkpoint
from holdfast.model.id import JobId
from holdfast.model.job import Enqueued, Job, JobDetails, JobOutline, JobStatus
from holdfast.model.page import Page
from holdfast.model.payload import JsonText
from holdfast.model.queue import CancelResult, ReplayResult
from holdfast.model.state import State

# The JSON is sent as text: a caller's own connection may have a codec for json, which would encode it twice.
ENQUEUE = (
    "select job_id, created, route from holdfast.enqueue_jobs("
    "$1::text[], holdfast.read_payloads($2::text[]), $3::text::jsonb, $4::text[]::jsonb[])"
)
ENQUEUE_ONE = (
    "select job_id, created, route from holdfast.enqueue_one($1::text, $2::text::json, $3::text::jsonb)"
)
# A longer payload may be nested too deeply for the server's own parser; read_payloads looks at it first.
LONGEST_ALONE = 4000
# The arrays that enqueue_columns takes, in its order. All are sent as text: asyncpg looks up other arrays in
# the catalogs, which delays the first statement of a connection by 5 ms.
COLUMNS = {
    "queue": "text[]",
    "priority": "text[]::integer[]",
    "delay": "text[]::double precision[]",
    "run_at": "text[]::timestamptz[]",
    "unique_key": "text[]",
    "unique_for": "text[]",
    "unique_scope": "text[]",
    "order_key": "text[]",
    "run": "text[]::uuid[]",
    "labels": "text[]::jsonb[]",
    "timeout": "text[]::double precision[]",
    "deadline": "text[]::timestamptz[]",
    "group": "text[]",
    "endpoint": "text[]",
    "estimate": "text[]::double precision[]",
    "max_failures": "text[]::integer[]",
    "retry": "text[]::jsonb[]",
    "origin": "text[]",
    "actor": "text[]",
    "trace": "text[]::jsonb[]",
    "default_queue": "text[]",
    "default_priority": "text[]::integer[]",
}
NUMERIC = {name for name, kind in COLUMNS.items() if kind.endswith(("integer[]", "precision[]"))}
ENQUEUE_COLUMNS = (
    "select job_id, created, route from holdfast.enqueue_columns("
    "$1::text[], holdfast.read_payloads($2::text[]), $3::text::jsonb, "
    + ", ".join(f"${place}::{kind}" for place, kind in enumerate(COLUMNS.values(), 4))
    + ")"
)
NOTIFY = "select holdfast.notify_ready($1::text[])"
COUNT = "select holdfast.count_matching_jobs($1::jsonb, $2::text[])"
CANCEL = "select job_id, result from holdfast.cancel_jobs($1::uuid[], $2::text, $3::text)"
REPLAY = "select job_id, result from holdfast.replay_jobs($1::uuid[], $2::text, $3::text)"
REPLAY_FROM_STAGE = (
    "select job_id, result from holdfast.replay_from_stage($1::uuid[], $4::text, $2::text, $3::text)"
)
# The fields of Job, in their order.
JOB = """
select
  id, queue, task, state, priority, payload, output, reason, attempt, failures, losses, deferrals, generation,
  run, parent, stage, labels, worker, nullif(endpoint, ''), nullif("group", ''), order_key, unique_key, units,
  timeout, deadline, max_failures, created_at, due_at, ready_at, started_at, cancel_asked_at, ended_at,
  progress, unique_scope, origin, login, role, claimed_actor, changed_at, cost
"""
GET = f"{JOB} from holdfast.get_job($1::uuid)"
DETAILS = """
select
  pipeline, pipeline_version, visit, rules, trace, retry, max_failures, replaces, child_runs, attempts,
  outputs, checkpoints, log_lines
from holdfast.job_details($1::uuid)
"""
CHECKPOINTS = "select name, attempt, saved_at, size, value from holdfast.list_checkpoints($1::uuid)"
STATES = """
select
  job_id, state, attempt, failures, created_at, due_at, ready_at, started_at, ended_at, changed_at,
  error_class, error_type
from holdfast.job_states($1::uuid[])
"""
# The fields of JobOutline, in their order.
OUTLINE = """
select
  j.id, j.queue, j.task, j.state, j.priority, j.reason, j.attempt, j.failures, j.losses, j.deferrals,
  j.generation, j.run, j.parent, j.stage, j.labels, j.worker, nullif(j.endpoint, ''), j.units, j.cost,
  j.created_at, j.due_at, j.ready_at, j.started_at, j.cancel_asked_at, j.ended_at, j.progress
"""
# From the view, because get_job would read each payload.
OUTLINES = f"""
{OUTLINE}
from unnest($1::uuid[]) as u (id)
cross join lateral (
  select *
  from holdfast.job_view as v
  where v.id = u.id
    and (v.ended_at is null
      or v.ended_at >= coalesce(holdfast.created_at(u.id), '-infinity') - interval '1 minute')
  offset 0
) as j
"""
LIST = f"{JOB} from holdfast.list_jobs($1::jsonb, $2::uuid, $3::integer)"
LIST_OUTLINES = f"{OUTLINE} from holdfast.list_jobs($1::jsonb, $2::uuid, $3::integer) as j"

T = TypeVar("T")
Options = Mapping[str, Any]
MOST_JOBS = 1000  # jobs per call
ATTEMPTS = """
select
  job_id, attempt, outcome, class, error_type, message, place, traceback, worker, host,
  started_at, ended_at, retry_at
from holdfast.attempt_view
where job_id = $1
order by attempt desc, ended_at desc
limit $2
"""
# The fields of JobError, in their order.
LATEST_ERRORS = """
select a.job_id, a.class, a.error_type, left(a.message, 500)
from unnest($1::uuid[]) as u (id)
cross join lateral (
  select * from holdfast.attempt_view as v where v.job_id = u.id order by v.attempt desc limit 1
) as a
"""


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
    return [enqueued(row) for row in answer]


async def enqueue_one(on: Fetcher, task: str, payload: JsonText, options: Options) -> Enqueued:
    """The same for one job."""
    if len(payload) > LONGEST_ALONE:
        (stored,) = await enqueue_jobs(on, [task], [payload], options)
        return stored
    (row,) = await fetch(on, ENQUEUE_ONE, task, payload, json.dumps(options))
    return enqueued(row)


async def enqueue_columns(
    on: Fetcher,
    tasks: Sequence[str],
    payloads: Sequence[JsonText],
    options: Options,
    varying: Mapping[str, Sequence[Any]],
) -> list[Enqueued]:
    """The same with a column for each option that varies; None in it: the job does not have the option."""
    if not varying:
        return await enqueue_jobs(on, tasks, payloads, options)
    if not varying.keys() <= COLUMNS.keys():
        each = [dict(zip(varying, values, strict=True)) for values in zip(*varying.values(), strict=True)]
        return await enqueue_jobs(on, tasks, payloads, options, each)
    columns = [_column(name, varying.get(name)) for name in COLUMNS]
    answer = await fetch(on, ENQUEUE_COLUMNS, list(tasks), list(payloads), json.dumps(options), *columns)
    return [enqueued(row) for row in answer]


def _column(name: str, values: Sequence[Any] | None) -> list[Any] | None:
    if values is None:
        return None
    if name in ("labels", "retry", "trace"):
        return [None if one is None else json.dumps(one) for one in values]
    if name in NUMERIC or name == "unique_for":
        return [None if one is None else _digits(one) for one in values]
    return list(values)


def _digits(number: object) -> str:
    """An integer may be the member of an enum, whose text is its name."""
    return int.__repr__(number) if isinstance(number, int) else str(number)


async def notify_ready(on: Executor, queues: Sequence[str]) -> None:
    """Wake the idle workers of these queues."""
    await run(on, NOTIFY, list(queues))


async def cancel_jobs(
    on: Executor, ids: Sequence[JobId], reason: str | None, actor: str
) -> dict[JobId, CancelResult]:
    return await read_results(on, CancelResult, CANCEL, list(ids), reason, actor)


async def replay_jobs(
    on: Executor, ids: Sequence[JobId], reason: str | None, actor: str, stage: str | None = None
) -> dict[JobId, ReplayResult]:
    """From the given stage of their pipeline; without one, from the stage where each ended."""
    if stage is None:
        return await read_results(on, ReplayResult, REPLAY, list(ids), reason, actor)
    return await read_results(on, ReplayResult, REPLAY_FROM_STAGE, list(ids), reason, actor, stage)


async def get_job(on: Executor, job: JobId) -> Job | None:
    return await read_first(on, Job, GET, job)


async def get_details(on: Executor, job: JobId) -> JobDetails | None:
    return await read_first(on, JobDetails, DETAILS, job)


async def list_checkpoints(on: Executor, job: JobId) -> list[Checkpoint]:
    """Oldest first."""
    return await read_all(on, Checkpoint, CHECKPOINTS, job)


async def job_outlines(on: Executor, ids: Sequence[JobId]) -> list[JobOutline]:
    """Of those that exist, in any order."""
    return await read_all(on, JobOutline, OUTLINES, list(ids))


async def job_states(on: Executor, ids: Sequence[JobId]) -> list[JobStatus]:
    """Of the jobs that the caller may look at: those of its own login, or all if it may read jobs."""
    return await read_all(on, JobStatus, STATES, list(ids))


async def list_jobs(
    on: Executor, filters: Options | None = None, before: JobId | None = None, limit: int = 100
) -> list[Job]:
    """Jobs that match, newest first, up to the limit; `before` is the last id of the previous page."""
    found: list[Job] = []
    while len(found) < limit:
        page = await page_jobs(on, filters, before, limit - len(found))
        found += page.items
        before = page.next
        if before is None:
            break
    return found


async def count_matching(on: Executor, filters: Options, states: Iterable[State]) -> int:
    return int(await fetch_value(on, COUNT, json.dumps(filters), sorted(states)))


async def page_jobs(
    on: Executor, filters: Options | None = None, before: JobId | None = None, limit: int = 100
) -> Page[Job, JobId]:
    """The result of one call. It reads a bounded number of jobs, however few of them match."""
    return await _page(on, Job, LIST, filters, before, limit)


async def page_outlines(
    on: Executor, filters: Options | None = None, before: JobId | None = None, limit: int = 100
) -> Page[JobOutline, JobId]:
    """The same without payloads and outputs."""
    return await _page(on, JobOutline, LIST_OUTLINES, filters, before, limit)


async def _page(
    on: Executor, kind: type[T], query: str, filters: Options | None, before: JobId | None, limit: int
) -> Page[T, JobId]:
    limit = min(limit, MOST_JOBS)
    found = await fetch(on, query, json.dumps(filters or {}), before, limit)
    matching = [read(kind, row) for row in found if row["state"] is not None]
    is_cut = len(matching) == limit or len(matching) < len(found)
    return Page(matching, found[-1]["id"] if is_cut and found else None)


async def latest_errors(on: Executor, ids: Sequence[JobId]) -> dict[JobId, JobError]:
    """Of the jobs that have one."""
    return {one.job: one for one in await read_all(on, JobError, LATEST_ERRORS, list(ids))}


async def list_attempts(on: Executor, job: JobId, limit: int = 1000) -> list[Attempt]:
    """The latest attempts of a job that did not succeed."""
    return await read_all(on, Attempt, ATTEMPTS, job, limit)
