"""Operator actions on live jobs. Each needs a reason, and refuses the worker's later writes."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.db.read_rows import read_results
from holdfast.db.statement import Executor, fetch
from holdfast.model.id import JobId
from holdfast.model.operator_action import OperatorResult
from holdfast.model.page import Page
from holdfast.model.payload import JsonText

RECLAIM = "select job_id, result from holdfast.reclaim_jobs($1::uuid[], $2::text, $3::text)"
COMPLETE = (
    "select job_id, result from holdfast.complete_as_operator($1::uuid[], $2::json, $3::text, $4::text)"
)
FAIL = "select job_id, result from holdfast.fail_as_operator($1::uuid[], $2::text, $3::text)"
SET_PRIORITY = "select job_id, result from holdfast.set_priority($1::uuid[], $2::integer, $3::text, $4::text)"
FIND = "select job_id, state from holdfast.find_jobs($1::jsonb, $2::uuid, $3::integer)"

Results = dict[JobId, OperatorResult]


async def reclaim(on: Executor, jobs: Sequence[JobId], reason: str, actor: str) -> Results:
    """Takes jobs from their workers and makes them ready again, without a failure."""
    return await read_results(on, OperatorResult, RECLAIM, list(jobs), reason, actor)


async def complete_as_operator(
    on: Executor, jobs: Sequence[JobId], output: JsonText | None, reason: str, actor: str
) -> Results:
    return await read_results(on, OperatorResult, COMPLETE, list(jobs), output, reason, actor)


async def fail_as_operator(on: Executor, jobs: Sequence[JobId], reason: str, actor: str) -> Results:
    """Makes them dead, with the reason given_up."""
    return await read_results(on, OperatorResult, FAIL, list(jobs), reason, actor)


async def set_priority(
    on: Executor, jobs: Sequence[JobId], priority: int, reason: str, actor: str
) -> Results:
    return await read_results(on, OperatorResult, SET_PRIORITY, list(jobs), priority, reason, actor)


async def find_jobs(
    on: Executor, filters: Mapping[str, Any], after: JobId | None = None, limit: int = 1000
) -> Page[JobId, JobId]:
    """Live jobs, oldest first. One call reads a bounded number, so follow `next`."""
    rows = await fetch(on, FIND, json.dumps(filters), after, limit)
    ids = [row["job_id"] for row in rows if row["state"] is not None]
    is_cut = len(ids) == limit or len(ids) < len(rows)
    return Page(ids, rows[-1]["job_id"] if is_cut and rows else None)
