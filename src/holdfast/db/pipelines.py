"""The verbs on pipelines, signals and children."""

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from holdfast.db.read_rows import read_all, read_one
from holdfast.db.statement import Executor, fetch, fetch_one, fetch_value
from holdfast.model.id import JobId, RunId, Token
from holdfast.model.payload import JsonText, decode
from holdfast.model.pipeline import Child, StageDetails, StageMove, Told, Visit, Way

DECLARE = "select holdfast.declare_pipeline($1::text, $2::jsonb)"
MOVE = "select moved, stay from holdfast.move_pipeline($1::text, $2::integer, $3::integer, $4::text)"
_STAGE = """
select
  pipeline, version, is_newest, declared_at, place, stage, task, queue, endpoint, "group", timeout,
  max_visits, on_reject, retry, max_concurrent
from holdfast.stage_view
"""
STAGES = f"{_STAGE} where pipeline = $1 order by version desc, place"
NEWEST_STAGES = f"""
{_STAGE}
where (pipeline, version) in (
  select pipeline, version from holdfast.stage_view
  where pipeline > coalesce($1::text, '') group by pipeline, version order by pipeline, version desc limit $2)
order by pipeline, version desc, place
"""
STAGES_BY_NAME = f"""
{_STAGE}
where is_newest and pipeline in (
  select distinct pipeline from holdfast.stage_view where pipeline > $1 order by pipeline limit $2)
order by pipeline, place
"""
MOVES = "select from_stage, to_stage, moves, is_partial from holdfast.stage_moves($1::text, $2::interval)"
WAYS = (
    "select way, state, jobs, took_p50, took_p95, units, is_partial"
    " from holdfast.pipeline_ways($1::text, $2::interval, $3::integer)"
)
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
    """Returns its version; a pipeline that differs from the newest version is the next one."""
    return int(await fetch_value(on, DECLARE, name, json.dumps(definition)))


async def move_pipeline(
    on: Executor, name: str, from_version: int, to_version: int, actor: str
) -> tuple[int, int]:
    """How many jobs of a batch moved, and how many are left on the old version."""
    row = await fetch_one(on, MOVE, name, from_version, to_version, actor)
    return row["moved"], row["stay"]


async def list_stages(on: Executor, limit: int, after: str | None = None) -> list[StageDetails]:
    """The stages of `limit` versions, by pipeline after the given name, newest version first, in order."""
    return await read_all(on, StageDetails, NEWEST_STAGES, after, limit)


async def stages_of(on: Executor, pipeline: str) -> list[StageDetails]:
    """Newest version first, in order."""
    return await read_all(on, StageDetails, STAGES, pipeline)


async def newest_stages(on: Executor, limit: int, after: str = "") -> list[StageDetails]:
    """The stages of the newest versions of `limit` pipelines, by name after the given one, in order."""
    return await read_all(on, StageDetails, STAGES_BY_NAME, after, limit)


async def stage_moves(on: Executor, pipeline: str, since: timedelta) -> list[StageMove]:
    return await read_all(on, StageMove, MOVES, pipeline, since)


async def pipeline_ways(on: Executor, pipeline: str, since: timedelta, limit: int) -> list[Way]:
    return await read_all(on, Way, WAYS, pipeline, since, limit)


async def load_context(on: Executor, job: JobId) -> dict[str, Any]:
    found = await fetch(on, CONTEXT, job)
    return {stage: None if output is None else decode(output) for stage, output in found}


async def open_stages(on: Executor, job: JobId) -> list[str]:
    """The stages that the job may go to."""
    return [row["stage"] for row in await fetch(on, OPEN_STAGES, job)]


async def load_history(on: Executor, job: JobId) -> list[Visit]:
    return await read_all(on, Visit, HISTORY, job)


async def await_signal(on: Executor, job: JobId, token: Token, name: str) -> Told:
    """Raises LeaseLost if another worker has the job."""
    return await read_one(on, Told, AWAIT, job, token, name)


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
    """The run of the children, and whether the wait is over. Created once per name."""
    given = (name, list(tasks), list(payloads), json.dumps(options), wait, on_failure)
    row = await fetch_one(on, SPAWN, job, token, *given)
    return RunId(row["run"]), row["is_over"]


async def load_children(on: Executor, run: RunId) -> list[Child]:
    return await read_all(on, Child, CHILDREN, run)
