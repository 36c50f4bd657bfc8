"""What became of jobs: one, its state, its result, why it does not run, its timeline, and lists."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.limits.waiting import Waiting
from holdfast.api.live.awaited_ends import AwaitedEnds
from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer, answers
from holdfast.api.request.pages import Cursor, Size, page, paged
from holdfast.api.request.query_filters import JOB_FILTERS, job_filter
from holdfast.api.request.routes import Route, router
from holdfast.api.request.sample import ID, sample, typed
from holdfast.api.request.scoped_view import all_seen_by, check_actor, seen_by
from holdfast.client.app import Holdfast
from holdfast.client.filters import wire
from holdfast.client.handler_logs import SHOWN, by_attempt, read_logs
from holdfast.client.read_id import read_id
from holdfast.db import jobs, stats
from holdfast.model.access_key import AccessAction
from holdfast.model.error import NotFound
from holdfast.model.handler_log import LogLine
from holdfast.model.id import JobId
from holdfast.model.job import Job, JobStatus
from holdfast.model.state import State
from holdfast.model.timeline import Blocker, TimelineEntry

LONGEST_WAIT = 30
_STATE = sample(JobStatus, state="completed")
_RESULT = {
    "id": ID,
    "state": State.COMPLETED,
    "output": typed(Any, {"sent": True}),
    "reason": typed(str | None),
}
_BLOCKER = sample(Blocker, blocker="paused", detail="The queue mail is paused.", blocks=True)
_LINE = sample(LogLine, level="INFO", logger="mail", message="sent")
_ENTRY = sample(TimelineEntry, what="started", words="started by a worker")

Wait = Annotated[float, Query(ge=0, le=LONGEST_WAIT, description="Seconds to wait for the job's end.")]
Attempt = Annotated[int | None, Query(ge=1, le=2**31 - 1, description="Only this attempt.")]


class JobReads:
    def __init__(
        self, app: Holdfast, access: Access, is_stopping: Callable[[], bool], waiting: Waiting
    ) -> None:
        """`is_stopping`: whether requests that wait should be answered now."""
        self._app, self._access, self._waiting = app, access, waiting
        self._ends = AwaitedEnds(app, is_stopping)

    def routes(self) -> APIRouter:
        one = sample(Job, state="ready")
        running = answers({**_RESULT, "state": State.RUNNING, "output": typed(Any, None)}, status=202)
        why = {"job": ID, "may_run": False, "blockers": [_BLOCKER]}
        lines = {"job": ID, "attempts": [{"attempt": 1, "lines": [{name: _LINE[name] for name in SHOWN}]}]}
        return router(
            "jobs",
            Route("GET", "/jobs", self.find, paged("jobs", one, ID), filters=JOB_FILTERS),
            Route("GET", "/jobs/{job_id}", self.show, one),
            Route("GET", "/jobs/{job_id}/state", self.state, _STATE),
            Route("GET", "/jobs/{job_id}/result", self.result, _RESULT, also=running),
            Route("GET", "/jobs/{job_id}/explain", self.explain, why),
            Route("GET", "/jobs/{job_id}/timeline", self.timeline, {"entries": [_ENTRY]}),
            Route("GET", "/jobs/{job_id}/logs", self.logs, lines),
        )

    async def find(self, request: Request, limit: Size = 100, cursor: Cursor = None) -> Response:
        """Jobs that match, live and ended, newest first. A page may be empty and still have a `next`.

        A key for some queues or tasks must name one of them.
        """
        given = JOB_FILTERS.read(request)
        queues, tasks = ([given[name]] if name in given else None for name in ("queue", "task"))
        caller = await self._access.check(request, AccessAction.LIST_JOBS, queues=queues, tasks=tasks)
        check_actor(caller, given)
        before = None if cursor is None else JobId(read_id(cursor))
        found = await jobs.page_jobs(self._app.database, wire(job_filter(given)), before, limit)
        return page("jobs", all_seen_by(caller, found.items), found.next)

    async def show(self, request: Request, job_id: str) -> Response:
        """One job, live or ended, with its payload and output."""
        job = await self._allowed(request, job_id)
        found = await self._job(job)
        await self._still_allowed(request, job)
        return answer(seen_by(request.state.caller, found))

    async def state(self, request: Request, job_id: str) -> Response:
        """State, attempts and times of a job, without its payload and output: for producers too."""
        job = await self._allowed(request, job_id, AccessAction.READ_STATE)
        found = await jobs.job_states(self._app.database, [job])
        if not found:
            raise _not_found(job)
        await self._still_allowed(request, job, AccessAction.READ_STATE)
        return answer(found[0])

    async def result(self, request: Request, job_id: str, wait: Wait = 0) -> Response:
        """How a job ended, with its output. 202: it has not ended yet."""
        job = await self._allowed(request, job_id)
        found = await self._job(job)
        if wait and not found.is_ended:
            with self._waiting.place(request.state.caller.key):
                await self._ends.wait(job, wait)
            found = await self._job(job)
        await self._still_allowed(request, job, is_late=bool(wait))
        said = {"id": job, "state": found.state, "output": found.output, "reason": found.reason}
        return answer(said, 200 if found.is_ended else 202)

    async def explain(self, request: Request, job_id: str) -> Response:
        """Why a job does not run, the most important cause first."""
        job = await self._allowed(request, job_id)
        blockers = await stats.explain(self._app.database, job)
        may_run = not any(one.blocks for one in blockers)
        await self._still_allowed(request, job)
        return answer(
            {"job": job, "may_run": may_run, "blockers": all_seen_by(request.state.caller, blockers)}
        )

    async def timeline(self, request: Request, job_id: str) -> Response:
        """What happened to a job, the oldest first, up to 200 entries."""
        job = await self._allowed(request, job_id)
        found = await stats.timeline(self._app.database, job)
        if not found:
            raise _not_found(job)
        await self._still_allowed(request, job)
        return answer({"entries": all_seen_by(request.state.caller, found)})

    async def logs(self, request: Request, job_id: str, attempt: Attempt = None) -> Response:
        """What the handler of a job logged, by attempt, with secrets removed.

        A queue keeps the logs of attempts that did not succeed, unless its setting `logs` is `all` or `off`.
        """
        job = await self._allowed(request, job_id)
        lines = await read_logs(self._app.database, job, attempt)
        await self._still_allowed(request, job)
        return answer({"job": job, "attempts": by_attempt(lines)})

    async def _allowed(
        self, request: Request, job_id: str, action: AccessAction = AccessAction.READ_JOB
    ) -> JobId:
        job = JobId(read_id(job_id))
        await self._access.check(request, action, jobs=[job])
        return job

    async def _still_allowed(
        self,
        request: Request,
        job: JobId,
        action: AccessAction = AccessAction.READ_JOB,
        is_late: bool = False,
    ) -> None:
        """After the read, if the key has a scope: the job may have been moved out of it since the check.

        A job that was moved into it after the read may be shown too.
        """
        if is_late or request.state.caller.scope is not None:
            await self._access.check(request, action, jobs=[job])

    async def _job(self, job: JobId) -> Job:
        found = await jobs.get_job(self._app.database, job)
        if found is None:
            raise _not_found(job)
        return found


def _not_found(job: JobId) -> NotFound:
    return NotFound(f"There is no job {job}.")
