"""Enqueue over HTTP: one job, one as an event, or many as NDJSON in one transaction."""

import asyncio
import json
import re
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import IO, Any
from uuid import UUID

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.access import KEYED, Access
from holdfast.api.answer import answer, answers
from holdfast.api.problem import RequestRefused, problem_of
from holdfast.client.app import Holdfast
from holdfast.client.bulk import chunks
from holdfast.client.job_documents import OPTIONS, read_document, read_job, store_documents
from holdfast.client.new_job import NewJob
from holdfast.model.access_key import AccessAction, Caller
from holdfast.model.error import HoldfastError
from holdfast.model.job import Enqueued

MOST_JOBS = 100_000
MOST_LINE = 1024 * 1024  # bytes of one job in a bulk enqueue, as of a job on its own
NDJSON = "application/x-ndjson"
IN_MEMORY = 1024 * 1024  # bytes of a bulk enqueue; the rest of it is in a temporary file
IDEMPOTENT_FOR = 24 * 3600.0
_IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?")
_PROBLEMS = (401, 403, 408, 409, 413, 422, 503)
_JOB = {"task": "send_mail", "payload": {"to": "ada@example.org"}, "queue": "mail", "priority": 70}
_EVENT = {"eventName": "message.created", "data": {"id": 7}}
_REPEATABLE = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "maxLength": 255},
    "example": "welcome-17",
}
_STORED = {"id": "0198f1a2-7d3c-7b1e-9c55-0a6f2d4e8b11", "created": True}


class Producers:
    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    def routes(self) -> APIRouter:
        found = APIRouter(prefix="/api/v1", dependencies=KEYED)
        one = answers(_STORED, *_PROBLEMS, status=201) | answers({**_STORED, "created": False})
        many = answers({"ids": [_STORED["id"]], "created": 1}, *_PROBLEMS, status=201)
        lines = _takes(f"{json.dumps(_JOB)}\n", NDJSON)
        found.post("/jobs", status_code=201, responses=one, openapi_extra=_takes(_JOB))(self.enqueue)
        found.post("/events", status_code=201, responses=one, openapi_extra=_takes(_EVENT))(
            self.enqueue_event
        )
        found.post("/jobs/bulk", status_code=201, responses=many, openapi_extra=lines)(self.enqueue_many)
        return found

    async def enqueue(self, request: Request) -> Response:
        """Stores one job. 200 instead of 201: a job with the same unique key is there already.

        `Idempotency-Key` makes a repeated request harmless: for 24 hours the same key of the same access key
        gives the same job, and with another task or payload 409.
        """
        return await self._enqueue(request, "task", "payload")

    async def enqueue_event(self, request: Request) -> Response:
        """Stores an event as a job: `eventName` is its task, `data` its payload. Else like a job."""
        return await self._enqueue(request, "eventName", "data")

    async def enqueue_many(self, request: Request) -> Response:
        """Stores a job for each line of NDJSON, up to 100,000, in one transaction: all of them or none.

        The problem of a bad line has its number and the JSON path.
        """
        caller = await self._access.check(request, AccessAction.ENQUEUE)
        _refuse_idempotency_key(request)
        with SpooledTemporaryFile(IN_MEMORY) as spool:
            async for part in request.stream():
                spool.write(part)
            jobs = await asyncio.to_thread(_read_lines, spool, caller)
        stored = await self._store(request, jobs)
        return answer({"ids": [one.id for one in stored], "created": sum(one.created for one in stored)}, 201)

    async def _enqueue(self, request: Request, task: str, payload: str) -> Response:
        caller = await self._access.check(request, AccessAction.ENQUEUE)
        job = _for(caller, read_job(read_document(await request.body()), task, payload), request)
        (stored,) = await self._store(request, [job])
        return answer(stored, 201 if stored.created else 200)

    async def _store(self, request: Request, jobs: list[NewJob]) -> list[Enqueued]:
        """Where the database put them decides whether they are in the key's scope; if not, none is stored."""
        stored: list[Enqueued] = []
        async with self._app.database.transaction() as conn:
            for chunk in chunks(jobs):
                stored += await store_documents(conn, chunk)
            ids: list[UUID] = [one.id for one in stored]
            await self._access.check(request, AccessAction.ENQUEUE, jobs=ids, on=conn)
        return stored


def _for(caller: Caller, job: NewJob, request: Request | None = None) -> NewJob:
    """The access key is the job's claimed actor, and the scope of its idempotency key."""
    options = {**job.options, "actor": caller.name}
    key = None if request is None else request.headers.get("idempotency-key")
    if key is not None:
        if "unique_key" in options or not _IDEMPOTENCY_KEY.fullmatch(key):
            raise RequestRefused(
                422,
                "invalid_option",
                "Idempotency-Key must have 1 to 255 printable ASCII characters, and cannot be combined with"
                " unique_key.",
                "send one of the two",
            )
        scope = f"access key {caller.key}"
        options |= {"unique_key": key, "unique_scope": scope, "unique_for": IDEMPOTENT_FOR}
    return NewJob(job.task, job.payload, options)


def _refuse_idempotency_key(request: Request) -> None:
    if "idempotency-key" in request.headers:
        raise RequestRefused(
            422,
            "invalid_option",
            "A bulk enqueue takes no Idempotency-Key.",
            "give each line a unique_key: a repeated request then stores nothing twice",
        )


def _read_lines(spool: IO[bytes], caller: Caller) -> list[NewJob]:
    """All of them, before a transaction begins."""
    spool.seek(0)
    found = [_for(caller, job) for job in _jobs(spool)]
    if not found:
        raise RequestRefused(422, "invalid_input", "There is no job in the body.", "send one job per line")
    return found


def _jobs(lines: IO[bytes]) -> Iterator[NewJob]:
    count = 0
    for number, line in enumerate(iter(lambda: lines.readline(MOST_LINE + 1), b""), 1):
        if len(line) > MOST_LINE:
            raise RequestRefused(
                413,
                "body_too_large",
                f"Line {number} has more than {MOST_LINE:,} bytes.",
                "send less",
                line=number,
            )
        if not line.strip():
            continue
        count += 1
        if count > MOST_JOBS:
            raise RequestRefused(
                422, "invalid_input", f"A body may have at most {MOST_JOBS:,} jobs.", "send several requests"
            )
        try:
            yield read_job(read_document(line))
        except HoldfastError as exc:
            status, said = problem_of(exc)
            path = said.get("path", "$")
            detail = f"Line {number}: {exc.message}"
            raise RequestRefused(status, exc.code, detail, exc.hint or "", line=number, path=path) from None


def _takes(example: Any, media_type: str = "application/json") -> dict[str, Any]:
    """What the OpenAPI document says about the body, which is read by our own code."""
    said = f"Besides it, options of the job: {', '.join(sorted(OPTIONS))}."
    body = {"required": True, "description": said, "content": {media_type: {"example": example}}}
    return {"requestBody": body, "parameters": [] if media_type == NDJSON else [_REPEATABLE]}
