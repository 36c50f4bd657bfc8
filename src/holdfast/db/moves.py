"""The verbs that move jobs between queues."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from holdfast.db.read_rows import read_all, read_one
from holdfast.db.statement import Executor, run
from holdfast.model.audit import SettingChange
from holdfast.model.move import Moved, RebalancedPair, RebalancePair

MOVE = "select ready, scheduled from holdfast.move_jobs($1::text, $2::text, $3::integer, $4::text, $5::text)"
REBALANCE = """
select from_queue, to_queue, from_ready, to_ready, ratio, jobs, result
from holdfast.rebalance_queues($1::boolean, $2::interval, $3::text, $4::text)
"""
SET = """
select setting, before, after
from holdfast.set_rebalance($1::text, $2::text, $3::jsonb, $4::text, $5::text)
"""
REMOVE = "select holdfast.remove_rebalance($1::text, $2::text, $3::text, $4::text)"
PAIRS = """
select from_queue, to_queue, ratio, least_depth, max_jobs, condition, moved_at
from holdfast.rebalance_view
order by from_queue, to_queue
"""


async def move_jobs(on: Executor, source: str, to: str, limit: int, reason: str, actor: str) -> Moved:
    """Ready and scheduled jobs; at most 10,000 in a call."""
    return await read_one(on, Moved, MOVE, source, to, limit, reason, actor)


async def rebalance_queues(
    on: Executor,
    dry_run: bool = False,
    every: timedelta = timedelta(),
    reason: str | None = None,
    actor: str | None = None,
) -> list[RebalancedPair]:
    """Nothing if the last round is less than `every` ago."""
    return await read_all(on, RebalancedPair, REBALANCE, dry_run, every, reason, actor)


async def set_rebalance(
    on: Executor, source: str, to: str, policy: Mapping[str, Any], reason: str | None, actor: str
) -> list[SettingChange]:
    """Creates the pair if it is absent; only the keys given are changed."""
    return await read_all(on, SettingChange, SET, source, to, json.dumps(policy), reason, actor)


async def remove_rebalance(on: Executor, source: str, to: str, reason: str | None, actor: str) -> None:
    await run(on, REMOVE, source, to, reason, actor)


async def rebalance_pairs(on: Executor) -> list[RebalancePair]:
    return await read_all(on, RebalancePair, PAIRS)
