"""Enqueue over HTTP: one job, one as an event, or many as NDJSON in one transaction."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.producers.bulk_body import NDJSON, BulkBodies
from holdfast.api.producers.job_body import job_body
from holdfast.api.producers.job_store import JobStore
from holdfast.api.producers.new_runs import NewRuns
from holdfast.api.producers.scoped_job import scoped_job
from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer, answers
from holdfast.api.request.idempotency_key import REPEATABLE, idempotency_key
from holdfast.api.request.routes import Route, router
from holdfast.api.request.sample import ID, typed
from holdfast.client.app import Holdfast
from holdfast.client.job_documents import read_document, read_job
from holdfast.model.access_key import AccessAction
from holdfast.model.id import JobId, RunId

_EXAMPLE = {"task": "send_mail", "payload": {"to": "ada@example.org"}, "queue": "mail", "priority": 70}
JOB, LINES = job_body(_EXAMPLE), job_body(_EXAMPLE, media_type=NDJSON)
EVENT = job_body({"eventName": "message.created", "data": {"id": 7}}, "eventName", "data")
ONCE = {"parameters": [REPEATABLE]}
_STORED = {"id": ID, "created": True}
_RUN = "0198f1a2-7d3c-7b1e-9c55-0a6f2d4e8b12"
_MANY = {"run": typed(RunId | None, _RUN), "ids": typed(list[JobId], [ID]), "created": 1}
_IN_A_RUN = {"run": _RUN, "ids": None, "created": 0}


class Producers:
    def __init__(self, app: Holdfast, access: Access, bulks: BulkBodies) -> None:
        self._app, self._access, self._bulks = app, access, bulks
        self._store = JobStore(app, access)
        self._runs = NewRuns(self._store)

    def routes(self) -> APIRouter:
        known = answers({**_STORED, "created": False})
        return router(
            "jobs",
            Route("POST", "/jobs", self.enqueue, _STORED, JOB, status=201, also=known, extra=ONCE),
            Route("POST", "/events", self.enqueue_event, _STORED, EVENT, status=201, also=known, extra=ONCE),
            Route(
                "POST",
                "/jobs/bulk",
                self.enqueue_many,
                _MANY,
                LINES,
                status=201,
                also=answers(_IN_A_RUN),
                extra=ONCE,
            ),
        )

    async def enqueue(self, request: Request) -> Response:
        """Stores one job. 200 instead of 201: a job with the same unique key is there already.

        `Idempotency-Key` makes a repeated request harmless: for 24 hours the same key of the same access key
        gives the same job, and with another task, payload or option 409.
        """
        return await self._enqueue(request, "task", "payload")

    async def enqueue_event(self, request: Request) -> Response:
        """Stores an event as a job: `eventName` is its task, `data` its payload. Else like a job."""
        return await self._enqueue(request, "eventName", "data")

    async def enqueue_many(self, request: Request) -> Response:
        """Stores a job for each line of NDJSON, up to 100,000, in one transaction: all of them or none.

        The problem of a bad line has its number and the JSON path. With an `Idempotency-Key` the jobs are a
        sealed run of that name. For 24 hours the same key with the same body gives that run, without ids, and
        with another body 409.
        """
        caller = await self._access.check(request, AccessAction.ENQUEUE)
        key = idempotency_key(request)
        async with (
            self._bulks.received(request, caller) as body,
            self._app.database.transaction() as conn,
        ):
            if key is None:
                stored = await self._store.store_all(request, caller, body, conn)
                said = {"run": None, "ids": [one.id for one in stored]}
                return answer({**said, "created": sum(one.created for one in stored)}, 201)
            started = await self._runs.start(caller, key[:200], {}, conn, key, body.digest)
            return await self._runs.fill(request, caller, started, body, True, conn)

    async def _enqueue(self, request: Request, task: str, payload: str) -> Response:
        async with self._access.with_verb(request, AccessAction.ENQUEUE) as caller:
            job = read_job(read_document(await request.body()), task, payload)
            job = scoped_job(caller, job, idempotency_key(request))
            stored = await self._store.store_one(request, caller, job)
        # Not its route: a key with a scope does not see other queues.
        return answer({"id": stored.id, "created": stored.created}, 201 if stored.created else 200)
