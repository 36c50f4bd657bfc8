"""What a job in the hands of a worker elsewhere waits for: its children, and signals."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.producers.scoped_job import scoped_job
from holdfast.api.request.access import KEYED, Access
from holdfast.api.request.answer import answer, answers, takes
from holdfast.api.request.body import Body
from holdfast.api.workers.held_jobs import PROBLEMS, TOKEN, ended
from holdfast.api.workers.read_end import read_waiting
from holdfast.client.app import Holdfast
from holdfast.client.job_documents import read_job
from holdfast.client.read_id import read_id
from holdfast.db.pipelines import await_signal, load_children, signal, spawn_children
from holdfast.db.remote_worker import end_job
from holdfast.model.access_key import AccessAction
from holdfast.model.id import JobId, Token
from holdfast.model.outcome import end_of
from holdfast.model.payload import EMPTY, encode

_ID = "0198f1a2-7d3c-7b1e-9c55-0a6f2d4e8b11"
_CHILD = {"id": _ID, "state": "completed", "output": 7, "reason": None}
_CHILDREN = {"run": _ID, "is_over": True, "children": [_CHILD]}
_SPAWN = {
    "token": TOKEN,
    "name": "pages",
    "jobs": [{"task": "read_page", "payload": {"page": 1}}],
    "options": {"queue": "pages"},
}
_WAITING = {"came": False, "data": None, "timed_out": False, "state": "waiting"}


class JobWaits:
    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    def routes(self) -> APIRouter:
        found = APIRouter(prefix="/api/v1/jobs/{job_id}", dependencies=KEYED)
        spawned = answers(_CHILDREN, *PROBLEMS)
        found.post("/children", responses=spawned, openapi_extra=takes(_SPAWN))(self.children)
        waiting, wait = answers(_WAITING, *PROBLEMS), takes({"token": TOKEN, "signal": "approved"})
        found.post("/wait", responses=waiting, openapi_extra=wait)(self.wait)
        kept, sent = answers({"result": "resumed"}, *PROBLEMS), takes({"name": "approved", "data": True})
        found.post("/signals", responses=kept, openapi_extra=sent)(self.signal)
        return found

    async def children(self, request: Request, job_id: str) -> Response:
        """Creates the children of a job, once per name: a repeated call finds those of the first.

        `is_over`: read them now; else wait for `children` of that name. `options` are those of an enqueue.
        """
        job = await self._job(request, job_id)
        body = await Body.of(request)
        token, name = Token(body.id("token")), body.text("name")
        wait, on_failure = body.text("wait", "all"), body.text("on_failure", "fail")
        options = body.any("options") or {}
        tasks, payloads = [], []
        for one in body.parts("jobs"):
            tasks.append(one.text("task"))
            payload = one.any("payload")
            payloads.append(EMPTY if payload is None else encode(payload))
            one.close()
        body.close()
        given = read_job({"task": name, **options} if isinstance(options, dict) else {})
        shared = dict(scoped_job(request.state.caller, given).options)
        del shared["actor"]  # they have that of their parent
        async with self._app.database.transaction() as conn:
            run, is_over = await spawn_children(
                conn, job, token, name, tasks, payloads, shared, wait, on_failure
            )
            found = await load_children(conn, run)
            await self._access.check(request, AccessAction.ENQUEUE, jobs=[one.id for one in found], on=conn)
        return answer({"run": run, "is_over": is_over, "children": found})

    async def wait(self, request: Request, job_id: str) -> Response:
        """Parks a job until a signal or its children arrive; it is then claimed again.

        If the signal has come, or its timeout has passed, nothing is parked: go on with `data`.
        """
        job = await self._job(request, job_id)
        body = await Body.of(request)
        token, waiting = Token(body.id("token")), read_waiting(body)
        body.close()
        said = {"came": False, "data": None, "timed_out": False, "state": "running"}
        async with self._app.database.transaction() as conn:
            kind, _, name = waiting.what.partition(":")
            if kind == "signal":
                told = await await_signal(conn, job, token, name)
                if told.came or told.timed_out:
                    return answer({**said, "came": told.came, "data": told.data, "timed_out": told.timed_out})
            parked = await end_job(conn, job, token, end_of(waiting))
            return answer({**said, "state": ended(job, parked)["state"]})

    async def signal(self, request: Request, job_id: str) -> Response:
        """Delivers data to a job that waits for this signal, now or later. The first of a name counts."""
        job = JobId(read_id(job_id))
        caller = await self._access.check(request, AccessAction.SIGNAL, jobs=[job])
        body = await Body.of(request)
        name, data = body.text("name"), encode(body.any("data"))
        body.close()
        return answer({"result": await signal(self._app.database, job, name, data, caller.name)})

    async def _job(self, request: Request, job_id: str) -> JobId:
        job = JobId(read_id(job_id))
        await self._access.check(request, AccessAction.WORK, jobs=[job])
        return job
