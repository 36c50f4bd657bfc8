"""What a job of a worker over HTTP waits for: its children, and signals."""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.producers.scoped_job import scoped_job
from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer
from holdfast.api.request.body import MAYBE_WORDS, OBJECT, UUID, VALUE, WORDS, Body, an_object, or_null
from holdfast.api.request.routes import Route, router
from holdfast.api.request.sample import ID, sample, typed
from holdfast.api.workers.held_jobs import TOKEN, ended
from holdfast.api.workers.read_end import WAIT, read_waiting
from holdfast.client.app import Holdfast
from holdfast.client.job_documents import read_job
from holdfast.client.read_id import read_id
from holdfast.db.pipelines import await_signal, load_children, signal, spawn_children
from holdfast.db.remote_worker import end_job
from holdfast.model.access_key import AccessAction
from holdfast.model.id import JobId, Token
from holdfast.model.outcome import end_of
from holdfast.model.payload import EMPTY, encode
from holdfast.model.pipeline import Child, SignalResult
from holdfast.model.state import State

MOST_CHILDREN = 1000
_CHILD = sample(Child, state="completed", output=7)
_CHILDREN = {"run": ID, "is_over": True, "children": [_CHILD]}
SPAWN = Body(
    {
        "token": UUID,
        "name": WORDS,
        "jobs": or_null(
            {
                "type": "array",
                "items": an_object({"task": WORDS, "payload": VALUE}, ["task"]),
                "maxItems": MOST_CHILDREN,
            }
        ),
        "options": or_null(OBJECT),
        "wait": MAYBE_WORDS,
        "on_failure": MAYBE_WORDS,
    },
    ["token", "name"],
    {
        "token": TOKEN,
        "name": "pages",
        "jobs": [{"task": "read_page", "payload": {"page": 1}}],
        "options": {"queue": "pages"},
    },
)
PARK = Body({"token": UUID, **WAIT}, ["token"], {"token": TOKEN, "signal": "approved"})
SIGNAL = Body({"name": WORDS, "data": VALUE}, ["name"], {"name": "approved", "data": True})
_WAITING = {"came": False, "data": typed(Any, None), "timed_out": False, "state": State.WAITING}


class JobWaits:
    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    def routes(self) -> APIRouter:
        return router(
            "jobs",
            Route("POST", "/jobs/{job_id}/children", self.children, _CHILDREN, SPAWN),
            Route("POST", "/jobs/{job_id}/wait", self.wait, _WAITING, PARK),
            Route("POST", "/jobs/{job_id}/signals", self.signal, {"result": SignalResult.RESUMED}, SIGNAL),
        )

    async def children(self, request: Request, job_id: str) -> Response:
        """Creates the children of a job, once per name: a repeated call finds those of the first.

        `is_over`: read them now; else wait for `children` of that name. `options` are those of an enqueue.
        """
        job = await self._job(request, job_id)
        given = await SPAWN.read(request)
        token, name = Token(read_id(given["token"])), given["name"]
        wait, on_failure = given.get("wait") or "all", given.get("on_failure") or "fail"
        tasks, payloads = [], []
        for one in given.get("jobs") or ():
            payload = one.get("payload")
            tasks.append(one["task"])
            payloads.append(EMPTY if payload is None else encode(payload))
        options = read_job({"task": name, **(given.get("options") or {})})
        shared = dict(scoped_job(request.state.caller, options).options)
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
        given = await PARK.read(request)
        token, waiting = Token(read_id(given["token"])), read_waiting(given)
        said = {"came": False, "data": None, "timed_out": False, "state": "running"}
        async with self._app.database.transaction() as conn:
            kind, _, name = waiting.what.partition(":")
            if kind == "signal":
                arrived = await await_signal(conn, job, token, name)
                if arrived.came or arrived.timed_out:
                    return answer(
                        {**said, "came": arrived.came, "data": arrived.data, "timed_out": arrived.timed_out}
                    )
            parked = await end_job(conn, job, token, end_of(waiting))
            return answer({**said, "state": ended(job, parked)["state"]})

    async def signal(self, request: Request, job_id: str) -> Response:
        """Delivers data to a job that waits for this signal, now or later. The first of a name counts."""
        job = JobId(read_id(job_id))
        caller = await self._access.check(request, AccessAction.SIGNAL, jobs=[job])
        given = await SIGNAL.read(request)
        data = encode(given.get("data"))
        async with self._access.changing(request, AccessAction.SIGNAL, jobs=[job]) as conn:
            result = await signal(conn, job, given["name"], data, caller.name)
        return answer({"result": result})

    async def _job(self, request: Request, job_id: str) -> JobId:
        job = JobId(read_id(job_id))
        await self._access.check(request, AccessAction.WORK, jobs=[job])
        return job
