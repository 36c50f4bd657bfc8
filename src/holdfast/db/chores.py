"""The verbs that keep the queue in order; each may be called from many places at once, and returns counts.

Some are done by one at a time: while another round is at it, they do nothing and return None.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.db.statement import Executor, fetch_row, fetch_value, run

PROMOTE = "select holdfast.promote_jobs($1::integer)"
RESCUE = "select recovered, dead, timed_out, cancelled, expired, runs from holdfast.rescue_jobs($1::integer)"
CLOSE_RUNS = "select holdfast.close_runs($1::integer)"
ADVANCE_ORDER_KEYS = "select holdfast.advance_order_keys($1::integer)"
PRUNE = "select * from holdfast.prune_jobs($1::integer)"
PRUNE_RECORDS = "select * from holdfast.prune_records($1::integer)"
NOTE = "select holdfast.note_chores($1::text[])"
FORGET_WORKERS = "select holdfast.forget_workers()"
MAKE_PARTITIONS = "select holdfast.make_partitions()"
SUMMARISE_ENDS = "select holdfast.summarise_ends()"
PRUNE_ENDPOINTS = "select holdfast.prune_endpoints()"
PRUNE_UNUSED = "select * from holdfast.prune_unused($1::integer)"
SETTLE_LIMITS = "select holdfast.settle_limits()"
MARK_LANES = "select holdfast.mark_lanes()"


@dataclass(frozen=True, slots=True)
class Rescued:
    """What became of jobs whose worker vanished or whose time was up, and how many runs lost some."""

    recovered: int = 0
    dead: int = 0
    timed_out: int = 0
    cancelled: int = 0
    expired: int = 0
    runs: int = 0

    @property
    def total(self) -> int:
        return self.recovered + self.dead + self.timed_out + self.cancelled + self.expired


async def promote_jobs(on: Executor, limit: int = 1000) -> int:
    return int(await fetch_value(on, PROMOTE, limit))


async def rescue_jobs(on: Executor, limit: int = 1000) -> Rescued:
    row = await fetch_row(on, RESCUE, limit)
    return Rescued() if row is None else Rescued(*row)


async def close_runs(on: Executor, limit: int = 100) -> int:
    return int(await fetch_value(on, CLOSE_RUNS, limit))


async def advance_order_keys(on: Executor, limit: int = 1000) -> int:
    return int(await fetch_value(on, ADVANCE_ORDER_KEYS, limit))


async def prune_jobs(on: Executor, limit: int = 1000) -> dict[str, int] | None:
    """What was removed, by name."""
    row = await fetch_row(on, PRUNE, limit)
    return None if row is None else {name: int(count) for name, count in row.items()}


async def prune_records(on: Executor, limit: int = 1000) -> dict[str, int]:
    """Old runs and manual actions that were removed, by name."""
    row = await fetch_row(on, PRUNE_RECORDS, limit)
    return {} if row is None else {name: int(count) for name, count in row.items()}


async def note_chores(on: Executor, names: Iterable[str]) -> None:
    """Say that these have just succeeded."""
    await run(on, NOTE, sorted(names))


async def forget_workers(on: Executor) -> int:
    return int(await fetch_value(on, FORGET_WORKERS))


async def make_partitions(on: Executor) -> int:
    return int(await fetch_value(on, MAKE_PARTITIONS))


async def summarise_ends(on: Executor) -> int | None:
    """Count what ended, for statistics; the number of rows written."""
    return await _fetch_count(on, SUMMARISE_ENDS)


async def prune_endpoints(on: Executor) -> int | None:
    """Forget what endpoints did more than six hours ago; the number of seconds forgotten."""
    return await _fetch_count(on, PRUNE_ENDPOINTS)


async def prune_unused(on: Executor, limit: int = 1000) -> dict[str, int]:
    """Lanes, queues and endpoints that were removed because nothing uses them, by name."""
    row = await fetch_row(on, PRUNE_UNUSED, limit)
    return {} if row is None else {name: int(count) for name, count in row.items()}


async def settle_limits(on: Executor) -> int:
    """Bring jobs under limits that were set while they were enqueued or claimed; the number found."""
    return int(await fetch_value(on, SETTLE_LIMITS))


async def mark_lanes(on: Executor) -> int | None:
    """Note where claims may begin while dead entries cannot be removed; the number of such lanes."""
    return await _fetch_count(on, MARK_LANES)


async def _fetch_count(on: Executor, query: str) -> int | None:
    count: int | None = await fetch_value(on, query)
    return count
