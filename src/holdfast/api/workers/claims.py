"""Claims over HTTP: several jobs at once, after the ends of others, with a long poll."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import timedelta
from time import monotonic
from typing import Any

from fastapi import APIRouter
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from holdfast.api.limits.waiting import Waiting
from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer
from holdfast.api.request.body import SPAN, Body, or_null, read_span
from holdfast.api.request.routes import Route, router
from holdfast.api.request.sample import ID, typed
from holdfast.api.workers.claim_permits import Claimant
from holdfast.api.workers.long_polls import LongPolls
from holdfast.api.workers.read_end import LISTED, Destination, read_listed
from holdfast.client.app import Holdfast
from holdfast.client.read_id import read_id
from holdfast.db.remote_worker import Named, checkpoints_of, contexts_of, settle_and_claim_known
from holdfast.model.access_key import AccessAction
from holdfast.model.error import LeaseLost
from holdfast.model.id import JobId, RunId, Token, WorkerId
from holdfast.model.job import ClaimedJob
from holdfast.model.outcome import End
from holdfast.model.payload import decode
from holdfast.model.worker import Settled

MOST_JOBS = 100
LONGEST_WAIT = timedelta(seconds=30)
MOST_ENDS = 1000
_TOKEN = "6f1d2c3b-4a59-4e68-8d77-c6b5a4938271"
CLAIMED_JOB = {
    "id": ID, "token": _TOKEN, "task": "send_mail", "queue": "mail",
    "payload": typed(Any, {"to": "ada@example.org"}), "attempt": 1, "failures": 0, "priority": 50,
    "labels": typed(dict[str, Any]), "run": typed(RunId | None), "stage": typed(str | None, "draft"),
    "order_key": typed(str | None, "customer-17"), "stop_after": typed(timedelta | None, 300.0),
    "endpoint": typed(str | None, "llama"), "trace": typed(dict[str, str] | None),
    "checkpoints": typed(dict[str, Any]), "context": typed(dict[str, Any]),
}  # fmt: skip
_CLAIMED = {
    "jobs": [CLAIMED_JOB],
    "lost": typed(list[JobId]),
    "repeated": typed(list[JobId]),
    "drain": False,
    "lapsed": False,
    "next_in": typed(timedelta | None, 12.5),
}
_END = {"id": ID, "token": _TOKEN, "verb": "complete", "output": 7}
CLAIM = Body(
    {
        "limit": or_null({"type": "integer", "minimum": 0, "maximum": MOST_JOBS}),
        "wait": or_null(SPAN),
        "time_box": or_null(SPAN),
        "ends": or_null({"type": "array", "items": LISTED, "maxItems": MOST_ENDS}),
    },
    example={"limit": 10, "wait": 30, "ends": [_END]},
)


@dataclass(frozen=True, slots=True)
class Claim:
    """`time_box`: how long the worker still has. `ends`: of the jobs that it has finished."""

    limit: int
    wait: float
    time_box: timedelta | None
    ends: Sequence[tuple[JobId, Token, End]]

    @property
    def may_wait(self) -> bool:
        """Before it claims."""
        return bool(self.wait and self.limit and not self.ends)


@dataclass(frozen=True, slots=True)
class Claimed:
    settled: Settled
    drain: bool
    repeated: Sequence[JobId] = ()

    @property
    def is_over(self) -> bool:
        """Whether waiting longer cannot help."""
        return bool(self.settled.claimed) or self.drain or self.settled.lapsed


NOTHING = Claimed(Settled([], [], None, False), False)


class Claims:
    def __init__(self, app: Holdfast, access: Access, polls: LongPolls, waiting: Waiting) -> None:
        self._app, self._access, self._polls, self._waiting = app, access, polls, waiting

    def routes(self) -> APIRouter:
        return router("workers", Route("POST", "/workers/{worker_id}/claim", self.claim, _CLAIMED, CLAIM))

    async def claim(self, request: Request, worker_id: str) -> Response:
        """Leases up to `limit` jobs (1, at most 100) to the worker; waits up to `wait` seconds for the first.

        `ends` settles finished jobs in the same commit; those in `lost` changed nothing, those in `repeated`
        had been settled by the same call before. With `time_box`, the seconds that the worker still has, it
        gets no more jobs than it usually does in that time.
        """
        worker = WorkerId(read_id(worker_id))
        claimant = self._access.secret_of(request), worker
        known = self._access.recognise(request) if self._polls.has_permit(claimant) else None
        caller = known or await self._access.check(request, AccessAction.WORK, worker=worker)
        to = Destination()
        wish = _read_claim(await CLAIM.read(request), to)
        waits = wish.may_wait and self._polls.should_wait(worker)
        if known is not None and not waits:
            await self._access.check(request, AccessAction.WORK, worker=worker)
        to.check_places(caller)
        if wish.ends and caller.scope is not None:
            jobs = [job for job, _, _ in wish.ends]
            await self._access.check(request, AccessAction.WORK, queues=to.queues, tasks=to.tasks, jobs=jobs)
        with self._waiting.place(caller.key) if wish.wait else nullcontext():  # before it settles anything
            found = await self._wait_and_claim(request, claimant, wish, waits)
        if found.settled.lapsed and not wish.ends:
            raise LeaseLost(
                f"The lease of the worker {worker} has ended.",
                "stop its jobs, then renew the lease or register again",
            )
        return answer(await self._described(found))

    async def _wait_and_claim(
        self, request: Request, claimant: Claimant, wish: Claim, waits: bool
    ) -> Claimed:
        """`waits`: before it claims. Before each claim the access key is checked."""
        _, worker = claimant
        until = monotonic() + (wish.wait if wish.limit else 0)
        found = NOTHING if waits else await self._claim(worker, wish)
        lost, repeated = found.settled.lost, found.repeated
        while not found.is_over and (left := until - monotonic()) > 0:
            if not await self._polls.wait(claimant, left):
                break
            if await request.is_disconnected():
                raise ClientDisconnect
            await self._access.check(request, AccessAction.WORK, worker=worker)
            found = await self._claim(worker, replace(wish, ends=()))
        return replace(found, settled=replace(found.settled, lost=lost), repeated=repeated)

    async def _claim(self, worker: WorkerId, wish: Claim) -> Claimed:
        on = self._app.database
        found = Claimed(*await settle_and_claim_known(on, worker, wish.limit, wish.ends, wish.time_box))
        self._polls.claimed(worker, len(found.settled.claimed))
        return found

    async def _described(self, found: Claimed) -> dict[str, Any]:
        claimed = found.settled.claimed
        retried = [job.id for job in claimed if job.attempt > 1 or job.generation > 1]
        checkpoints = await checkpoints_of(self._app.database, retried)
        contexts = await contexts_of(self._app.database, [job.id for job in claimed if job.stage is not None])
        return {
            "jobs": [_described(job, checkpoints, contexts) for job in claimed],
            "lost": [end.id for end in found.settled.lost],
            "repeated": list(found.repeated),
            "drain": found.drain,
            "lapsed": found.settled.lapsed,
            "next_in": found.settled.due_in,
        }


def _described(job: ClaimedJob, checkpoints: Named, contexts: Named) -> dict[str, Any]:
    return {
        "id": job.id,
        "token": job.token,
        "task": job.task,
        "queue": job.queue,
        "payload": job.payload,
        "attempt": job.attempt,
        "failures": job.failures,
        "priority": job.priority,
        "labels": job.labels,
        "run": job.run,
        "stage": job.stage,
        "order_key": job.order_key,
        "stop_after": job.stop_after,
        "endpoint": job.endpoint,
        "trace": None if job.trace_json is None else decode(job.trace_json),
        "checkpoints": checkpoints.get(job.id, {}),
        "context": contexts.get(job.id, {}),
    }


def _read_claim(given: Mapping[str, Any], to: Destination) -> Claim:
    ends = [
        (JobId(read_id(one["id"])), Token(read_id(one["token"])), read_listed(f"$.ends[{i}]", one, to))
        for i, one in enumerate(given.get("ends") or ())
    ]
    limit, wait = given.get("limit"), read_span(given, "wait", LONGEST_WAIT)
    return Claim(
        1 if limit is None else limit,
        0 if wait is None else wait.total_seconds(),
        read_span(given, "time_box"),
        ends,
    )
