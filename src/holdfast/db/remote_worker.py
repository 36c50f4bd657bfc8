"""The verbs of workers for which a server speaks: they have no connection of their own."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from holdfast.db.read_rows import read, read_all, read_one, settled
from holdfast.db.statement import Executor, fetch
from holdfast.db.worker import CLAIMED
from holdfast.model.access_key import SecretHash
from holdfast.model.id import JobId, Token, WorkerId
from holdfast.model.outcome import End
from holdfast.model.payload import decode
from holdfast.model.worker import EndedJob, JobToStop, Renewal, Settled

SETTLE_AND_CLAIM = (
    f"select kind, {CLAIMED}, due_in from holdfast.settle_and_claim_known("
    "$1::uuid, $2::integer, $3::uuid[], $4::uuid[], $5::text[], $6::json[], $7::jsonb[], $8::interval)"
)
END = "select result, state, due_at from holdfast.end_job($1::uuid, $2::uuid, $3::text, $4::json, $5::jsonb)"
RENEW_IDLE = """
select place, lease_until, true as known, false as rescued, drain, flags
from holdfast.renew_idle_leases($1::bytea[], $2::uuid[])
"""
SYNC = "select job_id, why, reason from holdfast.sync_jobs($1::uuid, $2::uuid[])"
TO_WAKE = "select id from holdfast.workers_to_wake($1::uuid[], $2::integer) as w (id)"
CHECKPOINTS = """
select u.id, c.name, c.data
from unnest($1::uuid[]) as u (id) cross join lateral holdfast.load_checkpoints(u.id) as c
"""
CONTEXTS = """
select u.id, c.stage, c.output
from unnest($1::uuid[]) as u (id) cross join lateral holdfast.load_context(u.id) as c
"""

Named = dict[JobId, dict[str, Any]]


async def settle_and_claim_known(
    on: Executor,
    worker: WorkerId,
    n: int,
    ends: Sequence[tuple[JobId, Token, End]] = (),
    time_box: timedelta | None = None,
) -> tuple[Settled, bool, list[JobId]]:
    """What became of the ends and was claimed, whether the worker was asked to drain, and the jobs whose ends
    repeat those of an earlier call.
    """
    ids, tokens = [job for job, _, _ in ends], [token for _, token, _ in ends]
    verbs, outputs, details = ([end[place] for _, _, end in ends] for place in range(3))
    rows = await fetch(on, SETTLE_AND_CLAIM, worker, n, ids, tokens, verbs, outputs, details, time_box)
    repeated = [row["job_id"] for row in rows if row["kind"] == "repeated"]
    return settled(rows), any(row["kind"] == "drain" for row in rows), repeated


async def end_job(on: Executor, job: JobId, token: Token, end: End) -> EndedJob:
    return await read_one(on, EndedJob, END, job, token, end.verb, end.output, end.detail)


async def renew_idle_leases(
    on: Executor, workers: Sequence[tuple[SecretHash, WorkerId]]
) -> dict[int, Renewal]:
    """Of those that were renewed, by their place. Each is a secret of its access key, and the worker."""
    hashes, ids = zip(*workers, strict=True)
    rows = await fetch(on, RENEW_IDLE, hashes, ids)
    return {row["place"] - 1: read(Renewal, row[1:]) for row in rows}


async def sync_jobs(on: Executor, worker: WorkerId, jobs: Sequence[JobId] | None) -> list[JobToStop]:
    """The jobs to stop; `jobs`: those that the worker runs, None if it does not say."""
    return await read_all(on, JobToStop, SYNC, worker, jobs)


async def workers_to_wake(on: Executor, waiting: Sequence[WorkerId], most: int) -> list[WorkerId]:
    return [row["id"] for row in await fetch(on, TO_WAKE, waiting, most)]


async def checkpoints_of(on: Executor, jobs: Sequence[JobId]) -> Named:
    return await _named(on, CHECKPOINTS, jobs)


async def contexts_of(on: Executor, jobs: Sequence[JobId]) -> Named:
    """The outputs of earlier stages."""
    return await _named(on, CONTEXTS, jobs)


async def _named(on: Executor, query: str, jobs: Sequence[JobId]) -> Named:
    found: Named = {}
    for job, name, value in await fetch(on, query, jobs) if jobs else ():
        found.setdefault(job, {})[name] = None if value is None else decode(value)
    return found
