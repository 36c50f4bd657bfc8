"""The SQL functions of the maintenance tasks; many processes may call each at once, and each returns counts.

Some run in one process at a time: while another round runs, they do nothing and return None.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.db.read_rows import read_one
from holdfast.db.statement import Executor, fetch_row, fetch_value, run

PROMOTE = "select holdfast.promote_jobs($1::integer)"
RESCUE = "select recovered, dead, timed_out, cancelled, expired, runs from holdfast.rescue_jobs($1::integer)"
CLOSE_RUNS = "select holdfast.close_runs($1::integer)"
ADVANCE_ORDER_KEYS = "select holdfast.advance_order_keys($1::integer)"
PRUNE = "select * from holdfast.prune_jobs($1::integer)"
PRUNE_RECORDS = "select * from holdfast.prune_records($1::integer)"
NOTE = "select holdfast.record_maintenance($1::text[])"
FORGET_WORKERS = "select holdfast.forget_workers()"
MAKE_PARTITIONS = "select holdfast.make_partitions()"
SUMMARISE_ENDS = "select holdfast.summarise_ends()"
PRUNE_ENDPOINTS = "select holdfast.prune_endpoints()"
PRUNE_LOGS = "select holdfast.prune_logs()"
PRUNE_UNUSED = "select * from holdfast.prune_unused($1::integer)"
SETTLE_LIMITS = "select holdfast.settle_limits()"
SEAL_EVENTS = "select * from holdfast.seal_events($1::integer)"
MARK_LANES = "select holdfast.mark_lanes()"
SAMPLE_DEPTHS = "select holdfast.sample_depths()"


@dataclass(frozen=True, slots=True)
class Rescued:
    """The jobs whose worker disappeared or whose time was over, by result, and how many runs lost jobs."""

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
    return await read_one(on, Rescued, RESCUE, limit)


async def close_runs(on: Executor, limit: int = 100) -> int:
    return int(await fetch_value(on, CLOSE_RUNS, limit))


async def advance_order_keys(on: Executor, limit: int = 1000) -> int:
    return int(await fetch_value(on, ADVANCE_ORDER_KEYS, limit))


async def prune_jobs(on: Executor, limit: int = 1000) -> dict[str, int] | None:
    """What was removed, by name."""
    return await _fetch_counts(on, PRUNE, limit)


async def prune_records(on: Executor, limit: int = 1000) -> dict[str, int]:
    """Old runs and operator actions that were removed, by name."""
    return await _fetch_counts(on, PRUNE_RECORDS, limit) or {}


async def record_maintenance(on: Executor, names: Iterable[str]) -> None:
    """Records that these have just succeeded."""
    await run(on, NOTE, sorted(names))


async def forget_workers(on: Executor) -> int:
    return int(await fetch_value(on, FORGET_WORKERS))


async def make_partitions(on: Executor) -> int:
    return int(await fetch_value(on, MAKE_PARTITIONS))


async def summarise_ends(on: Executor) -> int | None:
    """Counts ended jobs for the statistics; returns the number of rows written."""
    return await _fetch_count(on, SUMMARISE_ENDS)


async def prune_endpoints(on: Executor) -> int | None:
    """Deletes the seconds of endpoints that are older than six hours; returns how many."""
    return await _fetch_count(on, PRUNE_ENDPOINTS)


async def prune_logs(on: Executor) -> int | None:
    """Deletes the oldest logs of handlers beyond their limit; returns how many parts."""
    return await _fetch_count(on, PRUNE_LOGS)


async def prune_unused(on: Executor, limit: int = 1000) -> dict[str, int]:
    """Unused lanes, queues and endpoints that were removed, by name."""
    return await _fetch_counts(on, PRUNE_UNUSED, limit) or {}


async def settle_limits(on: Executor) -> int:
    """Moves jobs under limits that were set while they were enqueued or claimed; returns how many."""
    return int(await fetch_value(on, SETTLE_LIMITS))


async def mark_lanes(on: Executor) -> int | None:
    """Marks where claims begin while dead index entries cannot be removed; returns the number of lanes."""
    return await _fetch_count(on, MARK_LANES)


async def sample_depths(on: Executor) -> int | None:
    """Counts the live jobs of each queue, once a minute; returns the number of samples."""
    return await _fetch_count(on, SAMPLE_DEPTHS)


async def seal_events(on: Executor, limit: int = 10_000) -> dict[str, int] | None:
    """Seals the finished days of the audit trail; returns how many days, and how many events it read."""
    return await _fetch_counts(on, SEAL_EVENTS, limit)


async def _fetch_count(on: Executor, query: str) -> int | None:
    count: int | None = await fetch_value(on, query)
    return count


async def _fetch_counts(on: Executor, query: str, limit: int) -> dict[str, int] | None:
    row = await fetch_row(on, query, limit)
    return None if row is None else {name: int(count) for name, count in row.items()}
