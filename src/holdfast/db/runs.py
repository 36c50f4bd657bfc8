"""The verbs on runs."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from holdfast.db.clock import now
from holdfast.db.read_rows import read_all, read_first, read_one
from holdfast.db.statement import Executor, fetch_value
from holdfast.model.id import RunId
from holdfast.model.run_progress import RunForecast, RunProgress, RunSummary, StartedRun, Which

START = "select holdfast.start_run($1::text, $2::jsonb)"
START_ONCE = (
    "select run, created from holdfast.start_run_once($1::text, $2::jsonb, $3::text, $4::text, $5::bytea)"
)
SEAL = "select holdfast.seal_run($1::uuid)"
CANCEL = "select holdfast.cancel_run($1::uuid, $2::text, $3::text)"
REPLAY = "select holdfast.replay_run($1::uuid, $2::text, $3::text, $4::text, before => $5::timestamptz)"
PROGRESS = (
    "select run, name, state, total, waiting, scheduled, ready, running, completed, rejected, cancelled,"
    " dead, started_at, ended_at, rate_per_minute, eta, eta_low, eta_high,"
    " budget, spent, reserved, max_units, used_units, reserved_units, units, cost,"
    " holdfast.run_blocker($1::uuid),"
    " case when completed + rejected + cancelled + dead = 0 and eta is null"
    " then (select reason from holdfast.run_forecast($1::uuid)) end"
    " from holdfast.run_progress($1::uuid)"
)
FORECAST = (
    "select run, jobs, slots, measured, mean, p50, p95, eta, eta_low, eta_high, reason"
    " from holdfast.run_forecast($1::uuid, $2::integer)"
)

EXTEND = "select holdfast.extend_run($1::uuid, $2::interval, $3::text, $4::text)"
RAISE_BUDGET = (
    "select holdfast.raise_budget($1::uuid, $2::double precision, $3::text, $4::text, $5::double precision)"
)
RUNS = """
select
  id, name, state, total::bigint, completed::bigint, rejected::bigint, cancelled::bigint, dead::bigint,
  created_at, ended_at, origin, login, role, claimed_actor, units, cost
from holdfast.run_view
where ($2::text is null or origin = $2)
  and ($3::text is null or login = $3 or claimed_actor = $3)
  and ($4::uuid is null or id < $4)
order by id desc
limit $1
"""


async def start_run(on: Executor, name: str, options: Mapping[str, Any] | None = None) -> RunId:
    return RunId(await fetch_value(on, START, name, json.dumps(options or {})))


async def start_run_once(
    on: Executor, name: str, options: Mapping[str, Any], scope: str, key: str, request: bytes
) -> StartedRun:
    """The run of this key within the scope. Raises UniqueConflict if another request has the key."""
    return await read_one(on, StartedRun, START_ONCE, name, json.dumps(options), scope, key, request)


async def seal_run(on: Executor, run_id: RunId) -> bool:
    """No more jobs will join: only a sealed run can end. True if it has ended with this call."""
    return bool(await fetch_value(on, SEAL, run_id))


async def cancel_run(on: Executor, run_id: RunId, reason: str | None, actor: str) -> int:
    """The number of jobs that were cancelled or got a cancel request."""
    return int(await fetch_value(on, CANCEL, run_id, reason, actor))


async def replay_run(on: Executor, run_id: RunId, which: Which, reason: str | None, actor: str) -> int:
    """The number of jobs that were replayed, each once: one that ends again is left alone."""
    before = await now(on)
    total = 0
    while count := int(await fetch_value(on, REPLAY, run_id, which, reason, actor, before)):
        total += count
    return total


async def extend_run(on: Executor, run_id: RunId, by: timedelta, reason: str | None, actor: str) -> int:
    """The number of jobs that waited for more time and continue."""
    return int(await fetch_value(on, EXTEND, run_id, by, reason, actor))


async def raise_budget(
    on: Executor,
    run_id: RunId,
    amount: float | None,
    reason: str | None,
    actor: str,
    max_units: float | None = None,
) -> int:
    """The number of jobs that waited for it and continue."""
    return int(await fetch_value(on, RAISE_BUDGET, run_id, amount, reason, actor, max_units))


async def run_progress(on: Executor, run_id: RunId) -> RunProgress | None:
    return await read_first(on, RunProgress, PROGRESS, run_id)


async def run_forecast(on: Executor, run_id: RunId, slots: int | None = None) -> RunForecast | None:
    """On these slots, or on those of the workers that are there."""
    return await read_first(on, RunForecast, FORECAST, run_id, slots)


async def list_runs(
    on: Executor,
    limit: int = 100,
    origin: str | None = None,
    actor: str | None = None,
    before: RunId | None = None,
) -> list[RunSummary]:
    """The newest runs, before the given one; `actor` is the login, or the name that the caller claimed."""
    return await read_all(on, RunSummary, RUNS, limit, origin, actor, before)
