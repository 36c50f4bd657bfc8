"""The verbs on pipelines, and on what jobs wait for."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from asyncpg import Record

from holdfast.db.statement import Executor, fetch, fetch_one, fetch_value
from holdfast.model.id import JobId, RunId, Token
from holdfast.model.journey import Child, StageDetails, Told, Visit
from holdfast.model.payload import JsonText, decode
from holdfast.model.state import State

DECLARE = "select holdfast.declare_pipeline($1::text, $2::jsonb)"
MOVE = "select moved, stay from holdfast.move_pipeline($1::text, $2::integer, $3::integer, $4::text)"
STAGES = """
select
  pipeline, version, is_newest, declared_at, place, stage, task, queue, endpoint, "group", timeout,
  max_visits, on_reject, retry, max_concurrent
from holdfast.stage_view
where pipeline = $1
order by version desc, place
"""
NEWEST_STAGES = """
select
  pipeline, version, is_newest, declared_at, place, stage, task, queue, endpoint, "group", timeout,
  max_visits, on_reject, retry, max_concurrent
from holdfast.stage_view
where (pipeline, version) in (
  select pipeline, version from holdfast.stage_view
  where pipeline > coalesce($1::text, '') group by pipeline, version order by pipeline, version desc limit $2)
order by pipeline, version desc, place
"""
CONTEXT = "select stage, output from holdfast.load_context($1::uuid)"
OPEN_STAGES = "select stage from holdfast.open_stages($1::uuid) as s (stage)"
HISTORY = (
    "select at, what, stage, visit, attempt, output, error_type, message from holdfast.load_history($1::uuid)"
)
AWAIT = "select came, data, timed_out from holdfast.await_signal($1::uuid, $2::uuid, $3::text)"
SIGNAL = "select holdfast.signal($1::uuid, $2::text, $3::json, $4::text)"
SPAWN = (
    "select run, is_over from holdfast.spawn_children("
    "$1::uuid, $2::uuid, $3::text, $4::text[], $5::json[], $6::jsonb, $7::text, $8::text)"
)
CHILDREN = "select job_id, state, output, reason from holdfast.load_children($1::uuid)"


async def declare_pipeline(on: Executor, name: str, definition: Mapping[str, Any]) -> int:
    """Its version; one that differs from the newest is the next."""
    return int(await fetch_value(on, DECLARE, name, json.dumps(definition)))


async def move_pipeline(
    on: Executor, name: str, from_version: int, to_version: int, actor: str
) -> tuple[int, int]:
    """How many jobs of a batch moved, and how many are left on the old version."""
    row = await fetch_one(on, MOVE, name, from_version, to_version, actor)
    return row["moved"], row["stay"]


async def list_stages(on: Executor, limit: int, after: str | None = None) -> list[StageDetails]:
    """Of so many versions, by pipeline from after a name on, newest version first, in order."""
    return [_stage(row) for row in await fetch(on, NEWEST_STAGES, after, limit)]


async def stages_of(on: Executor, pipeline: str) -> list[StageDetails]:
    """Newest version first, in order."""
    return [_stage(row) for row in await fetch(on, STAGES, pipeline)]


async def load_context(on: Executor, job: JobId) -> dict[str, Any]:
    return {row["stage"]: _decoded(row["output"]) for row in await fetch(on, CONTEXT, job)}


async def open_stages(on: Executor, job: JobId) -> list[str]:
    """The stages that the job may go to."""
    return [row["stage"] for row in await fetch(on, OPEN_STAGES, job)]


async def load_history(on: Executor, job: JobId) -> list[Visit]:
    return [_visit(row) for row in await fetch(on, HISTORY, job)]


async def await_signal(on: Executor, job: JobId, token: Token, name: str) -> Told:
    """Raises LeaseLost if the job was taken away."""
    row = await fetch_one(on, AWAIT, job, token, name)
    return Told(row["came"], _decoded(row["data"]), row["timed_out"])


async def signal(on: Executor, job: JobId, name: str, data: JsonText, actor: str) -> str:
    return str(await fetch_value(on, SIGNAL, job, name, data, actor))


async def spawn_children(
    on: Executor,
    job: JobId,
    token: Token,
    name: str,
    tasks: Sequence[str],
    payloads: Sequence[JsonText],
    options: Mapping[str, Any],
    wait: str,
    on_failure: str,
) -> tuple[RunId, bool]:
    """The run of the children, and whether what the job waits for is over. Made once for each name."""
    given = (name, list(tasks), list(payloads), json.dumps(options), wait, on_failure)
    row = await fetch_one(on, SPAWN, job, token, *given)
    return RunId(row["run"]), row["is_over"]


async def load_children(on: Executor, run: RunId) -> list[Child]:
    rows = await fetch(on, CHILDREN, run)
    return [Child(row["job_id"], State(row["state"]), _decoded(row["output"]), row["reason"]) for row in rows]


def _visit(row: Record) -> Visit:
    at, what, stage, visit, attempt, output, error_type, message = row
    return Visit(at, what, stage, visit, attempt, _decoded(output), error_type, message)


def _decoded(text: str | None) -> Any:
    return None if text is None else decode(text)


def _stage(row: Record) -> StageDetails:
    values = dict(row)
    return StageDetails(**{**values, "retry": _decoded(values["retry"])})
