"""Lists for people: workers, runs and attempts. Newest first."""

from collections.abc import Sequence

from holdfast.db import rows
from holdfast.db.statement import Executor, fetch, fetch_row, fetch_value
from holdfast.model.attempt import Attempt
from holdfast.model.id import JobId, WorkerId
from holdfast.model.run import RunSummary
from holdfast.model.worker import WorkerSummary

_WORKER = """
select
  id, "group", queues, state, slots, running, processed, failed, released, host, pid, version,
  started_at, renewed_at, lease_until, stopped_at, life_span, run, index, claim_size, box_until, drain_asked,
  metadata
from holdfast.worker_view
"""
WORKERS = f"{_WORKER} order by started_at desc limit $1"
WORKER = f"{_WORKER} where id = $1"
DRAIN = "select worker from holdfast.drain_workers($1::uuid[], $2::text, $3::text, $4::text) as d (worker)"

RUNS = """
select
  id, name, state, total::bigint, completed::bigint, rejected::bigint, cancelled::bigint, dead::bigint,
  created_at, ended_at
from holdfast.run_view
order by id desc
limit $1
"""

ATTEMPTS = """
select
  job_id, attempt, outcome, class, error_type, message, place, traceback, worker, host,
  started_at, ended_at, retry_at
from holdfast.attempt_view
where job_id = $1
order by attempt desc, ended_at desc
limit 1000
"""

TASK_IS_KNOWN = "select exists (select from holdfast.task_view where name = $1)"


async def list_workers(on: Executor, limit: int = 100) -> list[WorkerSummary]:
    return [rows.worker_summary(row) for row in await fetch(on, WORKERS, limit)]


async def get_worker(on: Executor, worker: WorkerId) -> WorkerSummary | None:
    row = await fetch_row(on, WORKER, worker)
    return None if row is None else rows.worker_summary(row)


async def drain_workers(
    on: Executor, workers: Sequence[WorkerId] | None, group: str | None, reason: str, actor: str
) -> list[WorkerId]:
    """Ask live workers, by id or by group, to finish and leave; those that were asked."""
    ids = None if workers is None else list(workers)
    return [row["worker"] for row in await fetch(on, DRAIN, ids, group, reason, actor)]


async def list_runs(on: Executor, limit: int = 100) -> list[RunSummary]:
    return [rows.run_summary(row) for row in await fetch(on, RUNS, limit)]


async def list_attempts(on: Executor, job: JobId) -> list[Attempt]:
    """The latest thousand attempts of a job that did not succeed."""
    return [rows.attempt(row) for row in await fetch(on, ATTEMPTS, job)]


async def task_is_known(on: Executor, task: str) -> bool:
    """Whether an app has declared the task or a live worker has a handler for it."""
    return bool(await fetch_value(on, TASK_IS_KNOWN, task))
