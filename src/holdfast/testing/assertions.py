"""Assertions on what is stored; on failure they say what there is instead."""

import json
from typing import Any
from uuid import UUID

from holdfast.client.job_handle import JobHandle
from holdfast.client.task import Task
from holdfast.db.jobs import JOB, list_attempts
from holdfast.db.read_rows import read_all
from holdfast.db.statement import Executor, fetch
from holdfast.model.job import Job
from holdfast.model.state import State

FIND = f"""
{JOB}
from holdfast.job_view
where ($1::text is null or task = $1)
  and ($2::text is null or payload::jsonb = $2::text::jsonb)
  and ($3::uuid is null or id = $3)
order by id
"""
COUNT = "select state, count(*) from holdfast.job_view group by state"

_ANYTHING: Any = object()


async def assert_enqueued(
    conn: Executor, *, task: Task[..., Any] | str, payload: Any = _ANYTHING, count: int | None = None
) -> list[Job]:
    """There are `count` jobs of the task with that payload, or any number but none; live and ended ones."""
    name = task if isinstance(task, str) else task.name
    wanted = None if payload is _ANYTHING else json.dumps(payload)
    found = await _find(conn, name, wanted, None)
    enough = bool(found) if count is None else len(found) == count
    if enough:
        return found
    asked = f"{'a job' if count is None else f'{count} jobs'} of {name}"
    with_payload = "" if wanted is None else f" with payload {wanted}"
    raise AssertionError(
        f"Expected {asked}{with_payload}, found {len(found)}. The database has: {await _summary(conn)}"
    )


async def assert_state(conn: Executor, job: JobHandle[Any] | UUID, state: State | str) -> Job:
    job_id = job.id if isinstance(job, JobHandle) else job
    found = await _find(conn, None, None, job_id)
    if not found:
        raise AssertionError(f"There is no job {job_id}. The database has: {await _summary(conn)}")
    if found[0].state is not State(state):
        because = f" ({': '.join(await _causes(conn, found[0]))})" if found[0].reason else ""
        raise AssertionError(
            f"Expected job {job_id} to be {State(state)}, but it is {found[0].state}{because}."
        )
    return found[0]


async def _causes(conn: Executor, job: Job) -> list[str]:
    """Its reason, and the last error that was recorded."""
    attempts = await list_attempts(conn, job.id)
    error = next((f"{one.error_type}: {one.message}" for one in attempts if one.error_type), None)
    return [one for one in (job.reason, error) if one]


async def count_by_state(conn: Executor) -> dict[State, int]:
    """The number of jobs in each state; those that are absent have none."""
    return {State(state): count for state, count in await fetch(conn, COUNT)}


async def _find(conn: Executor, task: str | None, payload: str | None, job_id: UUID | None) -> list[Job]:
    return await read_all(conn, Job, FIND, task, payload, job_id)


async def _summary(conn: Executor) -> str:
    said = [
        f"{job.task} {json.dumps(job.payload)} {job.state}" for job in await _find(conn, None, None, None)
    ]
    return "; ".join(said[:20]) + (f"; and {len(said) - 20} more" if len(said) > 20 else "") or "no job"
