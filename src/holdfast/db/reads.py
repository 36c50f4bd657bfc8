"""Lists for people: workers, runs and attempts. Newest first."""

from holdfast.db import rows
from holdfast.db.statement import Executor, fetch, fetch_value
from holdfast.model.attempt import Attempt
from holdfast.model.id import JobId
from holdfast.model.run import RunSummary
from holdfast.model.worker import WorkerSummary

WORKERS = """
select
  id, "group", queues, state, slots, running, processed, failed, host, pid, version,
  started_at, renewed_at, lease_until
from holdfast.worker_view
order by started_at desc
limit $1
"""

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
"""

TASK_IS_KNOWN = "select exists (select from holdfast.task_view where name = $1)"


async def list_workers(on: Executor, limit: int = 100) -> list[WorkerSummary]:
    return [rows.worker_summary(row) for row in await fetch(on, WORKERS, limit)]


async def list_runs(on: Executor, limit: int = 100) -> list[RunSummary]:
    return [rows.run_summary(row) for row in await fetch(on, RUNS, limit)]


async def list_attempts(on: Executor, job: JobId) -> list[Attempt]:
    """The attempts of a job that did not succeed."""
    return [rows.attempt(row) for row in await fetch(on, ATTEMPTS, job)]


async def task_is_known(on: Executor, task: str) -> bool:
    """Whether an app has declared the task or a live worker has a handler for it."""
    return bool(await fetch_value(on, TASK_IS_KNOWN, task))
