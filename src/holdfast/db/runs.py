"""The verbs on runs."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from holdfast.db.read_rows import read_all, read_first, read_one
from holdfast.db.statement import Executor, fetch_value
from holdfast.model.id import RunId
from holdfast.model.page import Page
from holdfast.model.run_progress import (
    RunDetails,
    RunFilter,
    RunForecast,
    RunPhase,
    RunProgress,
    RunSummary,
    StartedRun,
    Which,
)

START = "select holdfast.start_run($1::text, $2::jsonb)"
START_ONCE = (
    "select run, created from holdfast.start_run_once($1::text, $2::jsonb, $3::text, $4::text, $5::bytea)"
)
SEAL = "select holdfast.seal_run($1::uuid)"
CANCEL = "select holdfast.cancel_run($1::uuid, $2::text, $3::text)"
REPLAY = "select holdfast.replay_run($1::uuid, $2::text, $3::text, $4::text, before => $5::timestamptz)"
_PROGRESS = (
    "select p.run, p.name, p.state, p.total, p.waiting, p.scheduled, p.ready, p.running, p.completed,"
    " p.rejected, p.cancelled, p.dead, p.started_at, p.ended_at, p.rate_per_minute, p.eta, p.eta_low,"
    " p.eta_high, p.budget, p.spent, p.reserved, p.max_units, p.used_units, p.reserved_units, p.units,"
    " p.cost, holdfast.run_blocker(p.run),"
    " case when p.completed + p.rejected + p.cancelled + p.dead = 0 and p.eta is null"
    " then (select reason from holdfast.run_forecast(p.run)) end"
)
PROGRESS = f"{_PROGRESS} from holdfast.run_progress($1::uuid) as p"
PROGRESS_OF_RUNS = (
    f"{_PROGRESS} from unnest($1::uuid[]) as r (id) cross join lateral holdfast.run_progress(r.id) as p"
)
FORECAST = (
    "select run, jobs, slots, measured, mean, p50, p95, eta, eta_low, eta_high, reason"
    " from holdfast.run_forecast($1::uuid, $2::integer)"
)

EXTEND = "select holdfast.extend_run($1::uuid, $2::interval, $3::text, $4::text)"
RAISE_BUDGET = (
    "select holdfast.raise_budget($1::uuid, $2::double precision, $3::text, $4::text, $5::double precision)"
)
_SUMMARY = (
    "id, name, state, total::bigint, completed::bigint, rejected::bigint, cancelled::bigint, dead::bigint,"
    " created_at, ended_at, origin, login, role, claimed_actor, units, cost, labels"
)
RUN = f"""
select {_SUMMARY}, sealed_at, cancelled_at, generation, on_complete ->> 'task'
from holdfast.run_view
where id = $1
"""
# With the condition of a state in the text, so that the index of open runs serves it.
_STATES = {
    None: "true",
    RunPhase.OPEN: "ended_at is null",
    RunPhase.ENDED: "ended_at is not null",
}
FARTHEST = """
select id
from holdfast.run_view
where {state}
  and ($1::uuid is null or id < $1)
order by id desc
offset $2 - 1
limit 1
"""
RUNS = f"""
select {_SUMMARY}
from holdfast.run_view
where {{state}}
  and ($1::uuid is null or id < $1)
  and ($2::uuid is null or id >= $2)
  and ($3::text is null or strpos(lower(name), lower($3)) > 0)
  and ($4::jsonb is null or labels @> $4)
  and ($5::text is null or origin = $5)
  and ($6::text is null or login = $6 or claimed_actor = $6)
order by id desc
limit $7
"""
LOOKED_AT = 10_000
COUNT_OPEN = """
select count(*) from (select from holdfast.run_view where ended_at is null limit $1) as o
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


async def replay_run(
    on: Executor, run_id: RunId, which: Which, reason: str | None, actor: str, before: datetime
) -> int:
    """How many jobs were replayed, of those that ended before this time; call again until it is 0."""
    return int(await fetch_value(on, REPLAY, run_id, which, reason, actor, before))


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


async def progress_of_runs(on: Executor, run_ids: Sequence[RunId]) -> dict[RunId, RunProgress]:
    """Of those that exist."""
    return {one.id: one for one in await read_all(on, RunProgress, PROGRESS_OF_RUNS, list(run_ids))}


async def count_open(on: Executor, most: int) -> int:
    """The runs that have not ended; one more than `most` if there are more."""
    return int(await fetch_value(on, COUNT_OPEN, most + 1))


async def get_run(on: Executor, run_id: RunId) -> RunDetails | None:
    return await read_first(on, RunDetails, RUN, run_id)


async def find_runs(
    on: Executor, wanted: RunFilter, limit: int = 100, before: RunId | None = None
) -> Page[RunSummary, RunId]:
    """The newest runs that match, before the given one. One call looks at 10,000 runs, however few match."""
    state = _STATES[wanted.state]
    farthest = await fetch_value(on, FARTHEST.format(state=state), before, LOOKED_AT)
    given = (wanted.name, json.dumps(wanted.labels) if wanted.labels else None, wanted.origin, wanted.actor)
    found = await read_all(on, RunSummary, RUNS.format(state=state), before, farthest, *given, limit + 1)
    return Page(found[:limit], found[limit - 1].id if len(found) > limit else farthest)


async def list_runs(
    on: Executor, limit: int = 100, origin: str | None = None, actor: str | None = None
) -> list[RunSummary]:
    """The newest runs; `actor` is the login, or the name that the caller claimed."""
    found: list[RunSummary] = []
    place = None
    while len(found) < limit:
        page = await find_runs(on, RunFilter(origin=origin, actor=actor), limit - len(found), place)
        found, place = [*found, *page.items], page.next
        if place is None:
            break
    return found
