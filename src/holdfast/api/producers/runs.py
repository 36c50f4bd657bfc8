"""Runs for producers: start one with its jobs, add more, seal it, and see how far it is."""

import hashlib
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.producers.bulk_body import NDJSON, BulkBodies
from holdfast.api.producers.enqueue import ONCE
from holdfast.api.producers.job_body import job_body
from holdfast.api.producers.job_store import JobStore
from holdfast.api.producers.new_runs import NewRuns
from holdfast.api.producers.refused_job import RefusedJob
from holdfast.api.producers.scoped_job import scoped_job
from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer, answers
from holdfast.api.request.body import FLAG, OBJECT, SPAN, TEXT, WORDS, Body, Schema, or_null
from holdfast.api.request.idempotency_key import idempotency_key, refuse_idempotency_key
from holdfast.api.request.problem import RequestRefused, problem_of
from holdfast.api.request.routes import Route, router
from holdfast.api.request.sample import ID, sample, typed
from holdfast.client.app import Holdfast
from holdfast.client.bulk import chunks
from holdfast.client.enqueue_options import NONE, with_options
from holdfast.client.job_documents import read_document, read_job
from holdfast.client.new_job import NewJob
from holdfast.client.read_id import read_id
from holdfast.client.run import progress_of, run_document
from holdfast.db import runs
from holdfast.model.access_key import AccessAction, Caller
from holdfast.model.duration import parse_duration
from holdfast.model.error import AccessDenied, HoldfastError, InvalidPayload
from holdfast.model.id import JobId, RunId
from holdfast.model.run_progress import RunProgress, StartedRun

AS_A_JOB = 'write it as {"task": "…", "payload": {…}}'
_ID = "0198f1a2-7d3c-7b1e-9c55-0a6f2d4e8b12"
_JOB = {"task": "send_mail", "payload": {"to": "ada@example.org"}, "queue": "mail"}
LINES = job_body(_JOB, media_type=NDJSON)
JOBS: Schema = {"type": "array", "items": LINES.schema}
RUN = Body(
    {
        "name": TEXT,
        "labels": or_null(OBJECT),
        "origin": or_null(WORDS),
        "budget": {"type": ["number", "string", "null"], "description": "Money, such as 5 or 5 USD."},
        "max_units": or_null({"type": "number"}),
        "max_time": or_null(SPAN),
        "on_complete": or_null(LINES.schema),
        "jobs": JOBS,
        "seal": FLAG,
    },
    ["name"],
    {"name": "newsletter", "labels": {"month": "May"}, "jobs": [_JOB], "seal": True},
)
MORE = Body({"jobs": JOBS}, ["jobs"], {"jobs": [_JOB]})
_STORED = {"run": _ID, "ids": typed(list[JobId], [ID]), "created": 1}
_PROGRESS = sample(RunProgress, id=_ID, name="newsletter", state="sealed")


class ProducerRuns:
    def __init__(self, app: Holdfast, access: Access, bulks: BulkBodies) -> None:
        self._app, self._access, self._bulks = app, access, bulks
        self._runs = NewRuns(JobStore(app, access))

    def routes(self) -> APIRouter:
        again = answers({"run": _ID, "ids": None, "created": 0})
        shown = {**_PROGRESS, "more_than": typed(list[str])}
        run = "/runs/{run_id}"
        return router(
            "runs",
            Route("POST", "/runs", self.start, _STORED, RUN, status=201, also=again, extra=ONCE),
            Route("GET", run, self.show, shown),
            Route("POST", f"{run}/jobs", self.add, _STORED, MORE, status=201),
            Route("POST", f"{run}/jobs/bulk", self.add_many, _STORED, LINES, status=201),
            Route("POST", f"{run}/seal", self.seal, {"run": _ID, "ended": False}),
        )

    async def start(self, request: Request) -> Response:
        """Starts a run with these jobs, all or none. `seal`: no more jobs will join, so that it can end.

        `Idempotency-Key` names the run: for 24 hours the same key with the same body gives the same run,
        without ids, and with another body 409.
        """
        caller = await self._access.check(request, AccessAction.ENQUEUE)
        key = idempotency_key(request)
        body = await request.body()
        document = read_document(body)
        name, options = _read_run(document)
        if "on_complete" in options:
            options["on_complete"] = await self._follower(request, caller, options["on_complete"])
        jobs = _read_jobs(caller, document.get("jobs", []))
        digest = hashlib.sha256(body).digest()
        async with self._app.database.transaction() as conn:
            started = await self._runs.start(caller, name, options, conn, key, digest)
            seal = document.get("seal", False)
            return await self._runs.fill(request, caller, started, _ListedJobs(jobs), seal, conn)

    async def show(self, request: Request, run_id: str) -> Response:
        """How far a run is, and when its rest should be done."""
        run = await self._allowed(request, run_id, AccessAction.READ_STATE)
        return answer(run_document(await progress_of(self._app.database, run)))

    async def add(self, request: Request, run_id: str) -> Response:
        """Adds jobs to a run that is not sealed, all or none."""
        run = await self._allowed(request, run_id)
        caller: Caller = request.state.caller
        refuse_idempotency_key(request)
        document = read_document(await request.body())
        _refuse_unknown(document, {"jobs"})
        jobs = _read_jobs(caller, document.get("jobs"))
        async with self._app.database.transaction() as conn:
            started = StartedRun(run, True)
            return await self._runs.fill(request, caller, started, _ListedJobs(jobs), False, conn)

    async def add_many(self, request: Request, run_id: str) -> Response:
        """Adds a job for each line of NDJSON, up to 100,000, in one transaction: all of them or none."""
        run = await self._allowed(request, run_id)
        caller: Caller = request.state.caller
        refuse_idempotency_key(request)
        async with (
            self._bulks.received(request, caller) as body,
            self._app.database.transaction() as conn,
        ):
            started = StartedRun(run, True)
            return await self._runs.fill(request, caller, started, body, False, conn)

    async def seal(self, request: Request, run_id: str) -> Response:
        """No more jobs will join. `ended`: all its jobs had ended already."""
        run = await self._allowed(request, run_id)
        async with self._access.changing(request, AccessAction.ENQUEUE, runs=[run]) as conn:
            has_ended = await runs.seal_run(conn, run)
        return answer({"run": run, "ended": has_ended})

    async def _allowed(
        self, request: Request, run_id: str, action: AccessAction = AccessAction.ENQUEUE
    ) -> RunId:
        run = RunId(read_id(run_id))
        await self._access.check(request, action, runs=[run])
        return run

    async def _follower(self, request: Request, caller: Caller, document: Any) -> dict[str, Any]:
        """It is enqueued later, without a check of its scope: so a key with a scope must name its queue."""
        if not isinstance(document, dict):
            raise InvalidPayload("on_complete must be a job.", AS_A_JOB, "$.on_complete")
        job = _read_job(caller, document, "$.on_complete")
        if "unique_key" in job.options:
            raise InvalidPayload("on_complete cannot have a unique_key.", "leave it out", "$.on_complete")
        queue = job.options.get("queue")
        if caller.queues is not None and queue is None:
            raise AccessDenied(
                f"The access key {caller.name} is limited to some queues, so on_complete must name a queue.",
                'add "queue" to on_complete',
            )
        queues = None if queue is None else [queue]
        await self._access.check(request, AccessAction.ENQUEUE, queues=queues, tasks=[job.task])
        payload = {"payload": document["payload"]} if "payload" in document else {}
        return {"task": job.task, **payload, **job.options}


def _read_run(document: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Its name and its options, in the form of start_run."""
    _refuse_unknown(document, RUN.schema["properties"])
    name = document.get("name")
    if not isinstance(name, str) or not 1 <= len(name) <= 200:
        raise InvalidPayload(
            "name must be a string of 1 to 200 characters.", "send the name of the run", "$.name"
        )
    if not isinstance(document.get("seal", False), bool):
        raise InvalidPayload("seal must be true or false.", "send one of the two", "$.seal")
    given = {key: value for key, value in document.items() if value is not None}
    plain = ("budget", "max_units", "on_complete")
    options: dict[str, Any] = {key: given[key] for key in plain if key in given}
    if "max_time" in given:
        options["max_time"] = parse_duration(given["max_time"]).total_seconds()
    shared = with_options(NONE, {"labels": given.get("labels"), "origin": given.get("origin")})
    return name, {**options, **shared}


def _refuse_unknown(document: dict[str, Any], known: Collection[str]) -> None:
    unknown = sorted(document.keys() - set(known))
    if unknown:
        raise InvalidPayload(
            f"There is no field {unknown[0]}.", f"the fields are {', '.join(sorted(known))}", "$"
        )


def _read_jobs(caller: Caller, documents: Any) -> list[NewJob]:
    if not isinstance(documents, list):
        raise InvalidPayload("jobs must be a list of jobs.", 'write it as [{"task": "…"}]', "$.jobs")
    return [_read_job(caller, one, f"$.jobs[{i}]") for i, one in enumerate(documents)]


def _read_job(caller: Caller, document: Any, path: str) -> NewJob:
    """Problems have the path in the whole body."""
    try:
        if not isinstance(document, dict):
            raise InvalidPayload("A job must be a JSON object.", AS_A_JOB)
        return scoped_job(caller, read_job(document))
    except HoldfastError as exc:
        status, said = problem_of(exc)
        where = path + said.get("path", "$")[1:]
        raise RequestRefused(status, exc.code, exc.message, exc.hint or "", path=where) from None


@dataclass(frozen=True, slots=True)
class _ListedJobs:
    """Those of the field `jobs`."""

    jobs: list[NewJob]

    async def chunks(self) -> AsyncIterator[list[NewJob]]:
        for chunk in chunks(self.jobs):
            yield chunk

    def refusal(self, place: int, caller: Caller, refused: RefusedJob) -> RequestRefused:
        return refused.problem(caller, f"$.jobs[{place}]")
