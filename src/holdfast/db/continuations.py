"""The verbs for the succession of workers."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from holdfast.db.read_rows import read_first, read_one
from holdfast.db.statement import Executor, fetch, fetch_value
from holdfast.model.id import RunId, WorkerId

ASK = "select continuation, remaining, body from holdfast.request_continuation($1::uuid, $2::jsonb)"
TAKE = (
    "select taken, starts_in, index, run, claim_size, checkpoint"
    " from holdfast.take_continuation($1::uuid, $2::uuid, $3::text[], $4::jsonb)"
)
FAIL = "select holdfast.fail_continuation($1::uuid, $2::text)"
LOST = (
    "select body"
    " from holdfast.lost_continuations($1::text[], $2::text, $3::interval, $4::integer) as l (body)"
)
START = "select body from holdfast.start_workers($1::uuid, $2::jsonb) as s (body)"
LEFT = "select holdfast.work_left($1::text[], $2::uuid, $3::interval)"
TIMES = "select p95 from holdfast.run_times($1::text[])"
# A continuation that is no longer needed stays until the next check; one without work is not missing.
OVERDUE = """
select c.queues, c.run, c.due_at, c.sent, c.error, count(*) over () as of
from holdfast.continuation_view as c
where c.state in ('asked', 'sent')
  and c.due_at < holdfast.now() - $1::interval
  and holdfast.work_left(c.queues, c.run, interval '1 minute') > 0
order by c.due_at
limit 1
"""

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RequestedContinuation:
    """`continuation` is None if no successor is needed, or only later."""

    continuation: UUID | None
    remaining: int
    body: Body | None


@dataclass(frozen=True, slots=True)
class Taken:
    """The answer to a worker that takes its continuation."""

    taken: bool
    starts_in: timedelta | None
    index: int
    run: RunId | None
    claim_size: int | None
    checkpoint: Body


@dataclass(frozen=True, slots=True)
class OverdueSuccessor:
    """The oldest of `of` requested successors that did not start although there is work for them."""

    queues: list[str]
    run: RunId | None
    due_at: datetime
    sent: int
    error: str | None
    of: int


async def overdue_continuation(on: Executor, patience: timedelta) -> OverdueSuccessor | None:
    return await read_first(on, OverdueSuccessor, OVERDUE, patience)


async def request_continuation(
    on: Executor, worker: WorkerId, info: Mapping[str, Any]
) -> RequestedContinuation:
    return await read_one(on, RequestedContinuation, ASK, worker, json.dumps(info))


async def take_continuation(
    on: Executor, continuation: UUID, worker: WorkerId, queues: Sequence[str], info: Mapping[str, Any]
) -> Taken:
    return await read_one(on, Taken, TAKE, continuation, worker, list(queues), json.dumps(info))


async def fail_continuation(on: Executor, continuation: UUID, error: str) -> bool:
    """False if a worker has already taken it."""
    return bool(await fetch_value(on, FAIL, continuation, error))


async def lost_continuations(
    on: Executor, queues: Sequence[str] | None, group: str | None, patience: timedelta, limit: int = 10
) -> list[Body]:
    """The requests for successors that did not start, to be sent again."""
    found = await fetch(on, LOST, None if queues is None else list(queues), group, patience, limit)
    return [json.loads(row["body"]) for row in found]


async def start_workers(on: Executor, run: RunId, plan: Mapping[str, Any]) -> list[Body]:
    """The requests for the first workers of a run."""
    return [json.loads(row["body"]) for row in await fetch(on, START, run, json.dumps(plan))]


async def work_left(on: Executor, queues: Sequence[str], run: RunId | None, within: timedelta) -> int:
    """Jobs of these queues, or of this run, that are ready, running or due within a time."""
    return int(await fetch_value(on, LEFT, list(queues), run, within))


async def usual_run_time(on: Executor, queues: Sequence[str]) -> timedelta | None:
    """Within which nineteen of twenty attempts of these queues completed lately."""
    found: timedelta | None = await fetch_value(on, TIMES, list(queues))
    return found
