"""The verbs by which an operator lays hands on live jobs. Each wants a reason, and fences the worker."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.db.statement import Executor, fetch
from holdfast.model.id import JobId
from holdfast.model.manual import FoundJobs, ManualResult
from holdfast.model.payload import JsonText

TAKE_BACK = "select job_id, result from holdfast.take_back_jobs($1::uuid[], $2::text, $3::text)"
COMPLETE = "select job_id, result from holdfast.complete_by_hand($1::uuid[], $2::json, $3::text, $4::text)"
FAIL = "select job_id, result from holdfast.fail_by_hand($1::uuid[], $2::text, $3::text)"
SET_PRIORITY = "select job_id, result from holdfast.set_priority($1::uuid[], $2::integer, $3::text, $4::text)"
FIND = "select job_id, state from holdfast.find_jobs($1::jsonb, $2::uuid, $3::integer)"

Results = dict[JobId, ManualResult]


async def take_back(on: Executor, jobs: Sequence[JobId], reason: str, actor: str) -> Results:
    """From their workers, back to ready, at no cost."""
    return await _results(on, TAKE_BACK, list(jobs), reason, actor)


async def complete_by_hand(
    on: Executor, jobs: Sequence[JobId], output: JsonText | None, reason: str, actor: str
) -> Results:
    return await _results(on, COMPLETE, list(jobs), output, reason, actor)


async def fail_by_hand(on: Executor, jobs: Sequence[JobId], reason: str, actor: str) -> Results:
    """Makes them dead, as given up."""
    return await _results(on, FAIL, list(jobs), reason, actor)


async def set_priority(
    on: Executor, jobs: Sequence[JobId], priority: int, reason: str, actor: str
) -> Results:
    return await _results(on, SET_PRIORITY, list(jobs), priority, reason, actor)


async def find_jobs(
    on: Executor, filters: Mapping[str, Any], after: JobId | None = None, limit: int = 1000
) -> FoundJobs:
    """Live jobs, oldest first. One call looks at a bounded number, so follow `next`."""
    rows = await fetch(on, FIND, json.dumps(filters), after, limit)
    ids = [row["job_id"] for row in rows if row["state"] is not None]
    is_cut = len(ids) == limit or len(ids) < len(rows)
    return FoundJobs(ids, rows[-1]["job_id"] if is_cut and rows else None)


async def _results(on: Executor, query: str, *args: Any) -> Results:
    return {row["job_id"]: ManualResult(row["result"]) for row in await fetch(on, query, *args)}
