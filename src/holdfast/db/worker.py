"""The verbs of a worker."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from holdfast.db.read_rows import read_all, read_one, read_results, settled
from holdfast.db.statement import Executor, fetch, fetch_value
from holdfast.model.attempt import AttemptResult
from holdfast.model.id import JobId, Token, WorkerId
from holdfast.model.job import ClaimedJob
from holdfast.model.outcome import DONE, End, Verb
from holdfast.model.payload import JsonText
from holdfast.model.progress_report import NotReported
from holdfast.model.worker import LeftJobs, Renewal, Settled, StopRequest

REGISTER = "select holdfast.register_worker($1::uuid, $2::text[], $3::jsonb)"
RENEW = "select lease_until, known, rescued, drain, flags from holdfast.renew_lease($1::uuid, $2::jsonb)"
STOP = "select holdfast.stop_worker($1::uuid, $2::jsonb)"
ASKED_TO_STOP = "select job_id, token, reason from holdfast.cancel_requests($1::uuid)"
HELD = "select job_id, token from holdfast.held_jobs($1::uuid)"
SUSPECTS_WAITING = "select queue, wanted from holdfast.suspects_waiting($1::uuid)"
LEFT_TO_DRAIN = "select queue, task, state, jobs from holdfast.left_to_drain($1::uuid, $2::interval)"
INSTALLATION = "select id from holdfast.installation"
CLAIMED = (
    "job_id, token, task, queue, payload, attempt, failures, losses, priority, run, stage, generation, visit,"
    " labels, order_key, started_at, ready_at, stop_after, endpoint, trace"
)
CLAIM = f"select {CLAIMED} from holdfast.claim_jobs($1::uuid, $2::integer)"
SETTLE_AND_CLAIM = (
    f"select kind, {CLAIMED}, due_in from holdfast.settle_and_claim("
    "$1::uuid, $2::integer, $3::uuid[], $4::uuid[], $5::text[], $6::json[], $7::jsonb[])"
)
# A call without ends need not wait for the disk, unless an endpoint, a limit or a budget counts the claim. A
# job whose claim a crash undoes is ready again, and its token is never reused. Local: it ends with this
# statement.
CLAIM_ONLY = f"""
with turn as materialized (
  {SETTLE_AND_CLAIM}
), mode as materialized (
  select case
    when holdfast.may_be_lost(array(select job_id from turn where kind = 'job'))
    then set_config('synchronous_commit', 'off', true)
  end
)
select turn.* from turn cross join mode
"""
RESULTS = (
    "select job_id, attempt, outcome, class, error_type, message, traceback, state, reason, retry_at"
    " from holdfast.attempt_results($1::uuid[], $2::integer[])"
)
SAVE_CHECKPOINT = "select holdfast.save_checkpoint($1::uuid, $2::uuid, $3::text, $4::json)"
LOAD_CHECKPOINTS = "select name, data from holdfast.load_checkpoints($1::uuid)"
LABEL_JOB = "select holdfast.label_job($1::uuid, $2::uuid, $3::jsonb)"
REPORT_PROGRESS = "select job_id, result from holdfast.report_progress($1::uuid[], $2::uuid[], $3::jsonb[])"

Info = Mapping[str, Any]


async def register_worker(on: Executor, worker: WorkerId, queues: Sequence[str], info: Info) -> datetime:
    """Registers the worker; returns the end of its first lease."""
    until: datetime = await fetch_value(on, REGISTER, worker, list(queues), json.dumps(info))
    return until


async def renew_lease(on: Executor, worker: WorkerId, info: Info | None = None) -> Renewal:
    return await read_one(on, Renewal, RENEW, worker, json.dumps(info or {}))


async def stop_worker(on: Executor, worker: WorkerId, info: Info | None = None) -> int:
    """A clean exit, with the last counts; releases the jobs that the worker still holds: how many."""
    return int(await fetch_value(on, STOP, worker, json.dumps(info or {})))


async def cancel_requests(on: Executor, worker: WorkerId) -> list[StopRequest]:
    return await read_all(on, StopRequest, ASKED_TO_STOP, worker)


async def held_jobs(on: Executor, worker: WorkerId) -> set[tuple[JobId, Token]]:
    """The jobs that the worker holds, according to the database."""
    return {(row["job_id"], row["token"]) for row in await fetch(on, HELD, worker)}


async def left_to_drain(on: Executor, worker: WorkerId, within: timedelta) -> list[LeftJobs]:
    """Jobs that the worker can run and that are ready, due within the time, or running anywhere."""
    return await read_all(on, LeftJobs, LEFT_TO_DRAIN, worker, within)


async def suspects_waiting(on: Executor, worker: WorkerId) -> list[tuple[str, int]]:
    """For how many suspects of each queue this worker should start a separate worker."""
    return [(row["queue"], row["wanted"]) for row in await fetch(on, SUSPECTS_WAITING, worker)]


async def installation_id(on: Executor) -> UUID:
    """The prefix of every idempotency key, so that two installations never send the same one."""
    found: UUID = await fetch_value(on, INSTALLATION)
    return found


async def claim_jobs(on: Executor, worker: WorkerId, n: int) -> list[ClaimedJob]:
    return [ClaimedJob(*row) for row in await fetch(on, CLAIM, worker, n)]


async def settle_and_claim(
    on: Executor,
    worker: WorkerId,
    n: int,
    ids: Sequence[JobId],
    tokens: Sequence[Token],
    ends: Sequence[End],
) -> Settled:
    """Send the ends of jobs and get up to `n` new ones, in one round trip and one commit."""
    answer = await fetch(
        on,
        SETTLE_AND_CLAIM if ids else CLAIM_ONLY,
        worker,
        n,
        list(ids),
        list(tokens),
        *_columns(ends),
    )
    return settled(answer)


def _columns(ends: Sequence[End]) -> tuple[list[Verb], list[JsonText | None], list[str | None]]:
    """Verbs, outputs and details. A value that all share is sent once; missing values at the end are null."""
    if ends and all(end is DONE for end in ends):
        return [Verb.COMPLETE], [], []
    return [end.verb for end in ends], [end.output for end in ends], [end.detail for end in ends]


async def attempt_results(on: Executor, ids: Sequence[JobId], attempts: Sequence[int]) -> list[AttemptResult]:
    """How these attempts were recorded, and what follows for their jobs."""
    return await read_all(on, AttemptResult, RESULTS, list(ids), list(attempts))


async def save_checkpoint(on: Executor, job: JobId, token: Token, name: str, data: JsonText) -> bool:
    """False if the lease was lost."""
    return bool(await fetch_value(on, SAVE_CHECKPOINT, job, token, name, data))


async def load_checkpoints(on: Executor, job: JobId) -> dict[str, JsonText]:
    return {row["name"]: row["data"] for row in await fetch(on, LOAD_CHECKPOINTS, job)}


async def report_progress(
    on: Executor, ids: Sequence[JobId], tokens: Sequence[Token], reports: Sequence[JsonText]
) -> dict[JobId, NotReported]:
    """Store how far each job has come; returns those that were not stored."""
    return await read_results(on, NotReported, REPORT_PROGRESS, list(ids), list(tokens), list(reports))


async def label_job(on: Executor, job: JobId, token: Token, labels: Mapping[str, Any]) -> bool:
    """Adds labels, removes those that are None. False if the lease was lost."""
    return bool(await fetch_value(on, LABEL_JOB, job, token, json.dumps(labels)))
