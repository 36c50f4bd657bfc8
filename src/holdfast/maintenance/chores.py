"""The chores that every worker does."""

from collections.abc import Callable
from datetime import timedelta

from holdfast.db import chores
from holdfast.db.statement import Executor
from holdfast.maintenance.chore import Chore
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event import Event

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
SETTLE_LIMITS = "settle_limits"
MARK_LANES = "mark_lanes"

MINUTE = timedelta(seconds=60)
SPREAD = timedelta(seconds=20)


def _nothing() -> None: ...


def standard_chores(sweep: timedelta, on_rescue: Callable[[], None] = _nothing) -> list[Chore]:
    """`sweep`: how often to look for what was left behind; a dead worker's jobs wait for at most two.
    `on_rescue`: called after a rescue that took jobs from a lost worker.

    An idle worker shall be cheap: what nobody waits for is looked for half as often.
    """

    async def rescue(on: Executor) -> int:
        found = await chores.rescue_jobs(on)
        if found.recovered or found.dead:
            emit(Event.JOBS_RESCUED, recovered=found.recovered, dead=found.dead, runs=found.runs)
            on_rescue()
        return found.total

    return [
        Chore(MAKE_PARTITIONS, MINUTE, chores.make_partitions, SPREAD),
        Chore(PROMOTE, timedelta(seconds=2), chores.promote_jobs, batch=1000),
        Chore(RESCUE, sweep, rescue, batch=1000, at_once=True),
        Chore(CLOSE_RUNS, sweep, chores.close_runs, batch=100, at_once=True),
        Chore(ADVANCE_ORDER_KEYS, sweep, chores.advance_order_keys, batch=1000, at_once=True),
        Chore(SETTLE_LIMITS, 2 * sweep, chores.settle_limits),
        Chore(MARK_LANES, 2 * sweep, chores.mark_lanes, again=timedelta(seconds=1)),
        Chore(PRUNE, MINUTE, prune, SPREAD, batch=1000),
        Chore(PRUNE_RECORDS, MINUTE, prune_records, SPREAD, batch=1000),
        Chore(PRUNE_UNUSED, MINUTE, prune_unused, SPREAD, batch=1000),
        Chore(FORGET_WORKERS, MINUTE, chores.forget_workers, SPREAD),
        Chore(SUMMARISE_ENDS, 2 * sweep, chores.summarise_ends),
        Chore(PRUNE_ENDPOINTS, MINUTE, chores.prune_endpoints, SPREAD, batch=10_000),
    ]


async def prune(on: Executor) -> int | None:
    pruned = await chores.prune_jobs(on)
    return None if pruned is None else sum(pruned.values())


async def prune_records(on: Executor) -> int:
    return sum((await chores.prune_records(on)).values())


async def prune_unused(on: Executor) -> int:
    return sum((await chores.prune_unused(on)).values())
