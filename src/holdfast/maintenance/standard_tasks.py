"""The maintenance tasks of every worker."""

from collections.abc import Callable
from datetime import timedelta

from holdfast.db import maintenance, moves
from holdfast.db.statement import Executor
from holdfast.maintenance.fire_schedules import BATCH, fire_schedules
from holdfast.maintenance.maintenance_task import MaintenanceTask
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event

PROMOTE = "promote"
RESCUE = "rescue"
CLOSE_RUNS = "close_runs"
ADVANCE_ORDER_KEYS = "advance_order_keys"
PRUNE = "prune"
FORGET_WORKERS = "forget_workers"
MAKE_PARTITIONS = "make_partitions"
SUMMARISE_ENDS = "summarise_ends"
PRUNE_ENDPOINTS = "prune_endpoints"
PRUNE_RECORDS = "prune_records"
PRUNE_UNUSED = "prune_unused"
PRUNE_LOGS = "prune_logs"
SETTLE_LIMITS = "settle_limits"
MARK_LANES = "mark_lanes"
SEAL_EVENTS = "seal_events"
SAMPLE_DEPTHS = "sample_depths"
REBALANCE = "rebalance"
FIRE_SCHEDULES = "fire_schedules"

MINUTE = timedelta(seconds=60)
SPREAD = timedelta(seconds=20)
REBALANCE_EVERY = timedelta(minutes=5)  # over all workers: each asks once a minute


def _nothing() -> None: ...


def standard_tasks(sweep: timedelta, on_rescue: Callable[[], None] = _nothing) -> list[MaintenanceTask]:
    """`sweep`: how often to look for what was left behind; a dead worker's jobs wait for at most two.
    `on_rescue`: called after a rescue that took jobs from a lost worker.

    An idle worker should be cheap: maintenance tasks that no job waits for run half as often.
    """

    async def rescue(on: Executor) -> int:
        found = await maintenance.rescue_jobs(on)
        if found.recovered or found.dead:
            emit(Event.JOBS_RESCUED, recovered=found.recovered, dead=found.dead, runs=found.runs)
            on_rescue()
        return found.total

    return [
        MaintenanceTask(MAKE_PARTITIONS, MINUTE, maintenance.make_partitions, SPREAD),
        MaintenanceTask(PROMOTE, timedelta(seconds=2), maintenance.promote_jobs, batch=1000),
        MaintenanceTask(FIRE_SCHEDULES, timedelta(seconds=2), fire_schedules, batch=BATCH),
        MaintenanceTask(RESCUE, sweep, rescue, batch=1000, at_once=True),
        MaintenanceTask(CLOSE_RUNS, sweep, maintenance.close_runs, batch=100, at_once=True),
        MaintenanceTask(ADVANCE_ORDER_KEYS, sweep, maintenance.advance_order_keys, batch=1000, at_once=True),
        MaintenanceTask(SETTLE_LIMITS, 2 * sweep, maintenance.settle_limits),
        MaintenanceTask(MARK_LANES, 2 * sweep, maintenance.mark_lanes, again=timedelta(seconds=1)),
        MaintenanceTask(PRUNE, MINUTE, prune, SPREAD, batch=1000),
        MaintenanceTask(PRUNE_RECORDS, MINUTE, prune_records, SPREAD, batch=1000),
        MaintenanceTask(SEAL_EVENTS, MINUTE, seal_events, SPREAD, batch=10_000),
        MaintenanceTask(PRUNE_UNUSED, MINUTE, prune_unused, SPREAD, batch=1000),
        MaintenanceTask(PRUNE_LOGS, MINUTE, maintenance.prune_logs, SPREAD, batch=1000),
        MaintenanceTask(FORGET_WORKERS, MINUTE, maintenance.forget_workers, SPREAD),
        MaintenanceTask(SAMPLE_DEPTHS, 2 * sweep, maintenance.sample_depths),
        MaintenanceTask(REBALANCE, MINUTE, rebalance, SPREAD),
        MaintenanceTask(SUMMARISE_ENDS, 2 * sweep, maintenance.summarise_ends),
        MaintenanceTask(PRUNE_ENDPOINTS, MINUTE, maintenance.prune_endpoints, SPREAD, batch=10_000),
    ]


async def prune(on: Executor) -> int | None:
    pruned = await maintenance.prune_jobs(on)
    return None if pruned is None else sum(pruned.values())


async def prune_records(on: Executor) -> int:
    return sum((await maintenance.prune_records(on)).values())


async def seal_events(on: Executor) -> int | None:
    sealed = await maintenance.seal_events(on)
    return None if sealed is None else sum(sealed.values())


async def prune_unused(on: Executor) -> int:
    return sum((await maintenance.prune_unused(on)).values())


async def rebalance(on: Executor) -> int:
    return sum(pair.jobs for pair in await moves.rebalance_queues(on, every=REBALANCE_EVERY))
