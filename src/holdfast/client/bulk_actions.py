"""Bulk actions as people read them: what was asked for and why, how far it is, what became of the jobs."""

import json
from typing import Any

from holdfast.client.action_work import CHECKPOINT
from holdfast.db import jobs
from holdfast.db.statement import Executor
from holdfast.model.access_key import Caller
from holdfast.model.action import ActionName, BulkAction
from holdfast.model.error import NotFound
from holdfast.model.id import JobId
from holdfast.model.job import Job
from holdfast.model.page import Page
from holdfast.model.queue import INTERNAL_QUEUE


async def read_action(on: Executor, action: JobId) -> BulkAction:
    found = await jobs.get_job(on, action)
    if found is None or found.queue != INTERNAL_QUEUE:
        raise NotFound(f"There is no action {action}.")
    return _action(found, found.output if found.output is not None else await _so_far(on, found))


async def page_actions(
    on: Executor, before: JobId | None = None, limit: int = 50, asked_by: Caller | None = None
) -> Page[BulkAction, JobId]:
    """The newest first, each with its progress; `result` only of those that have ended."""
    own = {} if asked_by is None else {"actor": asked_by.name}
    found = await jobs.page_jobs(on, {"queue": INTERNAL_QUEUE, **own}, before, limit)
    shown = [one for one in found.items if asked_by is None or one.payload["key"] == str(asked_by.key)]
    return Page([_action(one, one.output) for one in shown], found.next)


def _action(job: Job, result: dict[str, Any] | None) -> BulkAction:
    asked = job.payload
    return BulkAction(
        job.id,
        ActionName(asked["action"]),
        job.state,
        asked["settings"],
        asked["reason"],
        job.claimed_actor,
        job.created_at,
        job.ended_at,
        job.progress,
        result,
        job.reason,
    )


async def _so_far(on: Executor, job: Job) -> dict[str, Any] | None:
    """Of an action that runs, or that was stopped."""
    for checkpoint in await jobs.list_checkpoints(on, job.id):
        if checkpoint.name == CHECKPOINT:
            kept = json.loads(checkpoint.value)
            return {"matched": kept["total"], "counts": kept["counts"]}
    return None
