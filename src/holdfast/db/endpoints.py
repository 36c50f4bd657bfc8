"""The verbs on endpoints, and their views."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from holdfast.db.read_rows import read_all, read_first
from holdfast.db.statement import Executor, run
from holdfast.model.audit import SettingChange
from holdfast.model.endpoint import EndpointBacklog, EndpointSecond, EndpointState, EndpointSummary
from holdfast.model.error import NotFound
from holdfast.model.id import JobId

DECLARE = "select holdfast.declare_endpoint($1::text, $2::jsonb)"
SET = "select setting, before, after from holdfast.set_endpoint($1::text, $2::jsonb, $3::text, $4::text)"
OPEN = "select holdfast.open_endpoint($1::text, $2::text, $3::text)"
CLOSE = "select holdfast.close_endpoint($1::text, $2::text, $3::text)"
_ENDPOINT = """
select
  name, mode, circuit, "limit", in_flight, min, max, requests_per_minute, units_per_minute, budget_per_day,
  price, estimate, shares, static_rate, units_per_minute_now, spent_today, reserved, blocked_until,
  open_until, streak, starts, last_ok, last_cut, tolerance, slowdown, fallback, pause
from holdfast.endpoint_view
"""
LIST = f"{_ENDPOINT} where name > coalesce($1::text, '') order by name limit $2"
GET = f"{_ENDPOINT} where name = $1"
STATES = 'select name, circuit, "limit", open_until from holdfast.endpoint_states($1::text[])'
HISTORY = """
select
  at, started, ok, failed, limited, other, units, make_interval(secs => mean_seconds),
  floor("limit")::integer, in_flight, circuit, rate * 60
from holdfast.endpoint_history($1::text, $2::interval)
"""
BACKLOG = "select endpoint, queue, ready, is_more, is_paused from holdfast.endpoint_backlog($1::text[])"
# Jobs whose last attempt failed on their endpoint without a failure: those with the most tries, and the
# count.
UNCOUNTED = """
select j.id, j.endpoint, j.failures + j.losses + j.deferrals as tries, count(*) over () as of
from (
  -- Those that are due first: they wait, and no live job beside them is read.
  select * from holdfast.job_view
  where ended_at is null and state = 'scheduled'
  order by due_at
  limit 10000
) as j
cross join lateral (
  select a.outcome, a.class, a.generation, a.stage
  from holdfast.attempt_view as a
  where a.job_id = j.id
  order by a.attempt desc
  limit 1
) as last
where j.deferrals > 0
  and last.outcome = 'deferred'
  and last.class = 'transient'
  and last.generation = j.generation
  and last.stage is not distinct from j.stage
order by tries desc, j.id
limit 3
"""

Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Uncounted:
    """A job whose endpoint failed its last attempt, not counted as a failure; `of`: their number."""

    id: JobId
    endpoint: str
    tries: int
    of: int


async def declare_endpoint(on: Executor, name: str, settings: Settings | None = None) -> None:
    """Create the endpoint if it is absent; only the keys given are changed."""
    await run(on, DECLARE, name, json.dumps(settings or {}))


async def set_endpoint(
    on: Executor, name: str, settings: Settings, reason: str | None, actor: str
) -> list[SettingChange]:
    """The same as an operator; returns what changed."""
    return await read_all(on, SettingChange, SET, name, json.dumps(settings), reason, actor)


async def list_endpoints(on: Executor, limit: int, after: str | None = None) -> list[EndpointSummary]:
    """By name, after the given name."""
    return await read_all(on, EndpointSummary, LIST, after, limit)


async def get_endpoint(on: Executor, name: str) -> EndpointSummary:
    """Raises NotFound."""
    found = await read_first(on, EndpointSummary, GET, name)
    if found is None:
        raise NotFound(f"There is no endpoint {name!r}.", "'holdfast endpoints list' shows all endpoints")
    return found


async def endpoint_states(on: Executor, names: Sequence[str]) -> list[EndpointState]:
    """Of those that exist; for a login that may only work, too."""
    return await read_all(on, EndpointState, STATES, list(names))


async def open_endpoint(on: Executor, name: str, reason: str | None, actor: str) -> None:
    """Stops all calls until an operator closes the circuit; raises NotFound."""
    await run(on, OPEN, name, reason, actor)


async def close_endpoint(on: Executor, name: str, reason: str | None, actor: str) -> None:
    """Allows calls again, at once; raises NotFound."""
    await run(on, CLOSE, name, reason, actor)


async def endpoint_history(
    on: Executor, name: str, since: timedelta = timedelta(minutes=10)
) -> list[EndpointSecond]:
    """Oldest first, at most six hours; seconds without calls are left out."""
    return await read_all(on, EndpointSecond, HISTORY, name, since)


async def endpoint_backlog(on: Executor, names: Sequence[str]) -> list[EndpointBacklog]:
    """The queues whose jobs call these endpoints; of each endpoint those with the most ready jobs first."""
    return await read_all(on, EndpointBacklog, BACKLOG, list(names))


async def uncounted_jobs(on: Executor) -> list[Uncounted]:
    """Those with the most tries first."""
    return await read_all(on, Uncounted, UNCOUNTED)
