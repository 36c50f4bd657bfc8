"""The workers as operators see them, newest first, and how operators drain them."""

from collections.abc import Sequence
from datetime import timedelta

from holdfast.db.read_rows import read_all, read_first
from holdfast.db.statement import Executor, fetch, fetch_value
from holdfast.model.error import NotFound
from holdfast.model.id import WorkerId
from holdfast.model.queue import INTERNAL_QUEUE
from holdfast.model.worker import LeftWorkers, WorkerSummary

_WORKER = """
select
  id, "group", queues, state, slots, running, processed, failed, released, host, pid, version,
  started_at, renewed_at, lease_until, stopped_at, life_span, run, index, claim_size, box_until, drain_asked,
  metadata, slots_from, claim_size_from, memory, cpu, loop_lag
from holdfast.worker_view
"""
WORKERS = f"{_WORKER} where $2 or state in ('working', 'draining') order by started_at desc limit $1"
WORKER = f"{_WORKER} where id = $1"
LEFT = """
select
  hour, "group", workers, stopped, drained, done, time_box, lost, life_p50, life_p95, processed, failed,
  released
from holdfast.left_workers($1::interval, $2::text)
"""
RUNNING = "select coalesce(sum(jobs), 0)::bigint from holdfast.count_running() where queue <> $1"
# Of the live jobs alone, by the index of what runs.
RUNNING_BY_WORKER = """
select worker, count(*) from holdfast.job_view
where ended_at is null and state = 'running' and worker = any ($1::uuid[])
group by worker
"""
DRAIN = "select worker from holdfast.drain_workers($1::uuid[], $2::text, $3::text, $4::text) as d (worker)"


async def list_workers(on: Executor, limit: int = 100, *, live_only: bool = False) -> list[WorkerSummary]:
    """Those at work, and unless `live_only` those that stopped or were lost lately."""
    return await read_all(on, WorkerSummary, WORKERS, limit, not live_only)


async def get_worker(on: Executor, worker: WorkerId) -> WorkerSummary | None:
    return await read_first(on, WorkerSummary, WORKER, worker)


async def require_worker(on: Executor, worker: WorkerId) -> WorkerSummary:
    """Raises NotFound."""
    found = await get_worker(on, worker)
    if found is None:
        raise NotFound(
            f"There is no worker {worker}.", "'holdfast workers list --all' also shows workers that stopped"
        )
    return found


async def count_running_jobs(on: Executor) -> int:
    """Of all queues of users, among at most 100,001 running jobs; heartbeats report less recent figures."""
    found: int = await fetch_value(on, RUNNING, INTERNAL_QUEUE)
    return found


async def running_by_worker(on: Executor, workers: Sequence[WorkerId]) -> dict[WorkerId, int]:
    """How many jobs each of them runs now; one without a job is left out."""
    rows = await fetch(on, RUNNING_BY_WORKER, list(workers))
    return {WorkerId(worker): number for worker, number in rows}


async def left_workers(on: Executor, since: timedelta, group: str | None = None) -> list[LeftWorkers]:
    """Those that left in the last `since`, by hour and group."""
    return await read_all(on, LeftWorkers, LEFT, since, group)


async def drain_workers(
    on: Executor, workers: Sequence[WorkerId] | None, group: str | None, reason: str, actor: str
) -> list[WorkerId]:
    """Asks live workers, by id or by group, to finish and exit; returns those that were asked."""
    ids = None if workers is None else list(workers)
    return [row["worker"] for row in await fetch(on, DRAIN, ids, group, reason, actor)]
