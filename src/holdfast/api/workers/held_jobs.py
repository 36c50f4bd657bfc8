"""A job in the hands of a worker elsewhere, named by its token: its end, checkpoints and progress."""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.request.access import KEYED, Access
from holdfast.api.request.answer import answer, answers, takes
from holdfast.api.request.body import Body
from holdfast.api.workers.read_end import Destination, read_end
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
from holdfast.model.worker import EndedJob, EndResult

PROBLEMS = (401, 403, 404, 409, 422, 503)
TOKEN = "6f1d2c3b-4a59-4e68-8d77-c6b5a4938271"
_ENDED = {"state": "completed", "due_at": None, "repeated": False}
_LATER = {"state": "scheduled", "due_at": "2030-01-31T09:00:00Z", "repeated": False}
_ERROR = {"message": "no route to host", "class": "transient", "type": "Unreachable"}
REPORT = ("done", "total", "failed", "note", "item", "errors")


class HeldJobs:
    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    def routes(self) -> APIRouter:
        found = APIRouter(prefix="/api/v1/jobs/{job_id}", dependencies=KEYED)
        routes: list[tuple[Any, dict[str, Any], dict[str, Any]]] = [
            (self.complete, {"output": {"sent": True}}, _ENDED),
            (self.fail, {"error": _ERROR, "retry_after": 30}, _LATER),
            (self.snooze, {"delay": 60}, _LATER),
            (self.release, {"reason": "shutting down"}, {**_ENDED, "state": "ready"}),
            (self.reject, {"reason": "unsubscribed"}, {**_ENDED, "state": "rejected"}),
            (self.checkpoint, {"name": "page", "value": 34}, {"saved": True}),
            (self.progress, {"done": 340, "total": 1000, "item": "page 34"}, {"stored": True}),
        ]
        for route, example, done in routes:
            body = takes({"token": TOKEN, **example})
            found.post(f"/{route.__name__}", responses=answers(done, *PROBLEMS), openapi_extra=body)(route)
        return found

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
        job, token, body = await self._held(request, job_id)
        name, value = body.text("name"), encode(body.any("value"))
        body.close()
        if not await save_checkpoint(self._app.database, job, token, name, value):
            raise lost(job)
        return answer({"saved": True})

    async def progress(self, request: Request, job_id: str) -> Response:
        """Records for people how far a job has come. `stored` is false if its row was locked: try again."""
        job, token, body = await self._held(request, job_id)
        said = {name: value for name in REPORT if (value := body.any(name)) is not None}
        body.close()
        refused = await report_progress(self._app.database, [job], [token], [encode(said)])
        if refused.get(job) is NotReported.LOST:
            raise lost(job)
        return answer({"stored": not refused})

    async def _end(self, request: Request, job_id: str, verb: Verb) -> Response:
        job, token, body = await self._held(request, job_id)
        to = Destination()
        end = read_end(verb, body, to)
        if to.queues or to.tasks:
            await self._access.check(request, AccessAction.WORK, queues=to.queues, tasks=to.tasks)
        return answer(ended(job, await end_job(self._app.database, job, token, end)))

    async def _held(self, request: Request, job_id: str) -> tuple[JobId, Token, Body]:
        job = JobId(read_id(job_id))
        await self._access.check(request, AccessAction.WORK, jobs=[job])
        body = await Body.of(request)
        return job, Token(body.id("token")), body


def ended(job: JobId, found: EndedJob) -> dict[str, Any]:
    if found.result is EndResult.LOST:
        raise lost(job)
    return {"state": found.state, "due_at": found.due_at, "repeated": found.result is EndResult.REPEATED}


def lost(job: JobId) -> LeaseLost:
    return LeaseLost(f"The token of the job {job} is outdated.")
