"""A job that a worker over HTTP holds by its token: its end, checkpoints and progress."""

from datetime import datetime
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer
from holdfast.api.request.body import UUID, VALUE, WORDS, Body
from holdfast.api.request.routes import Route, router
from holdfast.api.request.sample import TIME, typed
from holdfast.api.workers.read_end import Destination, end_body, read_end
from holdfast.client.app import Holdfast
from holdfast.client.read_id import read_id
from holdfast.db.remote_worker import end_job
from holdfast.db.worker import report_progress, save_checkpoint
from holdfast.model.access_key import AccessAction
from holdfast.model.error import LeaseLost
from holdfast.model.id import JobId, Token
from holdfast.model.outcome import Verb
from holdfast.model.payload import encode
from holdfast.model.progress_report import NotReported
from holdfast.model.state import State
from holdfast.model.worker import EndedJob, EndResult

TOKEN = "6f1d2c3b-4a59-4e68-8d77-c6b5a4938271"
_LATER = {"state": State.SCHEDULED, "due_at": typed(datetime | None, TIME), "repeated": False}
_ENDED = {"state": State.COMPLETED, "due_at": typed(datetime | None, None), "repeated": False}
_ERROR = {"message": "no route to host", "class": "transient", "type": "Unreachable"}
REPORT = ("done", "total", "failed", "note", "item", "errors")
ENDS = {
    verb: end_body(verb, {"token": TOKEN, **example})
    for verb, example in (
        (Verb.COMPLETE, {"output": {"sent": True}}),
        (Verb.FAIL, {"error": _ERROR, "retry_after": 30}),
        (Verb.SNOOZE, {"delay": 60}),
        (Verb.RELEASE, {"reason": "shutting down"}),
        (Verb.REJECT, {"reason": "unsubscribed"}),
    )
}
CHECKPOINT = Body(
    {"token": UUID, "name": WORDS, "value": VALUE},
    ["token", "name"],
    {"token": TOKEN, "name": "page", "value": 34},
)
PROGRESS = Body(
    {"token": UUID, **dict.fromkeys(REPORT, VALUE)},
    ["token"],
    {"token": TOKEN, "done": 340, "total": 1000, "item": "page 34"},
)


class HeldJobs:
    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    def routes(self) -> APIRouter:
        job = "/jobs/{job_id}"
        return router(
            "jobs",
            Route("POST", f"{job}/complete", self.complete, _ENDED, ENDS[Verb.COMPLETE]),
            Route("POST", f"{job}/fail", self.fail, _LATER, ENDS[Verb.FAIL]),
            Route("POST", f"{job}/snooze", self.snooze, _LATER, ENDS[Verb.SNOOZE]),
            Route(
                "POST", f"{job}/release", self.release, {**_ENDED, "state": State.READY}, ENDS[Verb.RELEASE]
            ),
            Route(
                "POST", f"{job}/reject", self.reject, {**_ENDED, "state": State.REJECTED}, ENDS[Verb.REJECT]
            ),
            Route("POST", f"{job}/checkpoint", self.checkpoint, {"saved": True}, CHECKPOINT),
            Route("POST", f"{job}/progress", self.progress, {"stored": True}, PROGRESS),
        )

    async def complete(self, request: Request, job_id: str) -> Response:
        """Ends a job with its output; one at a stage of a pipeline goes to the next stage, or that in `next`.

        May be repeated: `repeated` is then true.
        """
        return await self._end(request, job_id, Verb.COMPLETE)

    async def fail(self, request: Request, job_id: str) -> Response:
        """Records a failed attempt: the job is tried again at `due_at`, or dead. May be repeated.

        The `class` of an error is transient, rate_limited, permanent or system.
        """
        return await self._end(request, job_id, Verb.FAIL)

    async def snooze(self, request: Request, job_id: str) -> Response:
        """Postpones a job by `delay` seconds; that is no failure."""
        return await self._end(request, job_id, Verb.SNOOZE)

    async def release(self, request: Request, job_id: str) -> Response:
        """Gives a job back unfinished; that is no failure. A job with a cancel request is cancelled by it."""
        return await self._end(request, job_id, Verb.RELEASE)

    async def reject(self, request: Request, job_id: str) -> Response:
        """Ends a job that the worker decided against: that is an answer, no failure. May be repeated."""
        return await self._end(request, job_id, Verb.REJECT)

    async def checkpoint(self, request: Request, job_id: str) -> Response:
        """Saves partial work under a name; the next claim of the job carries it."""
        job, token, given = await self._held(request, job_id, CHECKPOINT)
        value = encode(given.get("value"))
        if not await save_checkpoint(self._app.database, job, token, given["name"], value):
            raise lost(job)
        return answer({"saved": True})

    async def progress(self, request: Request, job_id: str) -> Response:
        """Records for people how far a job has come. `stored` is false if its row was locked: try again."""
        job, token, given = await self._held(request, job_id, PROGRESS)
        said = {name: given[name] for name in REPORT if given.get(name) is not None}
        refused = await report_progress(self._app.database, [job], [token], [encode(said)])
        if refused.get(job) is NotReported.LOST:
            raise lost(job)
        return answer({"stored": not refused})

    async def _end(self, request: Request, job_id: str, verb: Verb) -> Response:
        job, token, given = await self._held(request, job_id, ENDS[verb])
        to = Destination()
        end = read_end(verb, given, to)
        to.check_places(request.state.caller)
        if to.queues or to.tasks:
            await self._access.check(request, AccessAction.WORK, queues=to.queues, tasks=to.tasks)
        return answer(ended(job, await end_job(self._app.database, job, token, end)))

    async def _held(self, request: Request, job_id: str, body: Body) -> tuple[JobId, Token, dict[str, Any]]:
        job = JobId(read_id(job_id))
        await self._access.check(request, AccessAction.WORK, jobs=[job])
        given = await body.read(request)
        return job, Token(read_id(given["token"])), given


def ended(job: JobId, found: EndedJob) -> dict[str, Any]:
    if found.result is EndResult.LOST:
        raise lost(job)
    return {"state": found.state, "due_at": found.due_at, "repeated": found.result is EndResult.REPEATED}


def lost(job: JobId) -> LeaseLost:
    return LeaseLost(f"The token of the job {job} is outdated.")
