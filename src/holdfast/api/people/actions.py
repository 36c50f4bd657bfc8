"""Bulk operator actions over HTTP: asked for here, done as jobs of the queue `holdfast` by the server."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.people.operate_jobs import PRIORITY, STAGE
from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer
from holdfast.api.request.body import (
    FLAG,
    NEEDED_REASON,
    OBJECT,
    SPAN,
    TEXT,
    VALUE,
    WORDS,
    Body,
    Schema,
    an_object,
    or_null,
)
from holdfast.api.request.idempotency_key import REPEATABLE, idempotency_key
from holdfast.api.request.routes import Route, router
from holdfast.api.request.sample import ID, sample
from holdfast.client.action_request import ActionRequest
from holdfast.client.app import Holdfast
from holdfast.client.bulk_actions import read_action
from holdfast.client.filters import JobFilter, LetterFilter
from holdfast.client.job_actions import JobSelection, act
from holdfast.client.job_documents import read_document
from holdfast.client.read_id import read_id
from holdfast.db import actions, jobs
from holdfast.model.access_key import AccessAction
from holdfast.model.action import ActionName, BulkAction
from holdfast.model.dead_letter import Triage
from holdfast.model.id import JobId
from holdfast.model.queue import CancelResult

_COUNT = or_null({"type": "integer", "minimum": 0})
_FILTERS: dict[str, Schema] = {
    **dict.fromkeys([*JobFilter.__annotations__, *LetterFilter.__annotations__], or_null(WORDS)),
    **dict.fromkeys(("attempt", "failures", "priority"), _COUNT),
    **dict.fromkeys(("older_than", "newer_than"), or_null(SPAN)),
    **dict.fromkeys(("labels", "payload"), or_null(OBJECT)),
}
ACTION = Body(
    {
        "action": {"type": "string", "enum": [*ActionName]},
        "filter": {**an_object(_FILTERS), "minProperties": 1},
        "reason": NEEDED_REASON,
        "pace": {"type": ["number", "string", "null"], "description": "Jobs per second, or such as 30/m."},
        "dry_run": or_null(FLAG),
        "priority": or_null(PRIORITY),
        "to": or_null(TEXT),
        "stage": STAGE,
        "status": {"type": ["string", "null"], "enum": [*Triage, None]},
        "limit": or_null({"type": "integer", "minimum": 1}),
        "canary": _COUNT,
        "canary_timeout": or_null(SPAN),
        "output": VALUE,
    },
    ["action", "filter", "reason"],
    {
        "action": "cancel",
        "filter": {"queue": "mail", "older_than": "2d"},
        "reason": "the campaign was stopped",
        "pace": "100/s",
        "dry_run": False,
    },
)
_ACTION = sample(
    BulkAction,
    state="running",
    settings={"filter": {"queue": "mail", "older_than": 172800.0}, "pace": "100/s"},
    reason="the campaign was stopped",
    actor="ops",
    result={"matched": 900, "counts": {"cancelled": 198, "asked": 2}},
)
_ONCE = {"parameters": [REPEATABLE]}


class Actions:
    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    def routes(self) -> APIRouter:
        stopped = {"id": ID, "result": CancelResult.ASKED}
        return router(
            "actions",
            Route("POST", "/actions", self.ask, {"id": ID, "created": True}, ACTION, status=202, extra=_ONCE),
            Route("GET", "/actions/{action_id}", self.show, _ACTION),
            Route("POST", "/actions/{action_id}/cancel", self.cancel, stopped),
            Route("DELETE", "/actions/{action_id}", self.remove, stopped),
        )

    async def ask(self, request: Request) -> Response:
        """Stores the action; `holdfast serve` does it, step by step. `dry_run` only counts the jobs.

        `Idempotency-Key` makes a repeated request harmless: for 24 hours the same key of the same access key
        gives the same action.
        """
        await self._access.check(request, AccessAction.OPERATE)
        wanted = await ActionRequest.read(self._app.database, read_document(await request.body()))
        stored = await actions.request_action(
            self._app.database,
            self._access.secret_of(request),
            wanted.action,
            wanted.settings,
            wanted.reason,
            idempotency_key(request),
        )
        return answer({"id": stored.id, "created": stored.created}, 202)

    async def show(self, request: Request, action_id: str) -> Response:
        """State, progress and result of an action; the counts so far while it runs."""
        job = await self._allowed(request, action_id, AccessAction.READ_JOB)
        return answer(await read_action(self._app.database, job))

    async def cancel(self, request: Request, action_id: str) -> Response:
        """Stops an action: what it has done stays. `asked`: it stops before its next step."""
        job = await self._allowed(request, action_id, AccessAction.OPERATE)
        reason, actor = "cancelled over HTTP", request.state.key_name
        results = await act(
            self._app.database,
            JobSelection((job,)),
            lambda batch: jobs.cancel_jobs(self._app.database, batch, reason, actor),
        )
        return answer({"id": job, "result": results.get(job, CancelResult.NOT_FOUND)})

    async def remove(self, request: Request, action_id: str) -> Response:
        """The same as cancel."""
        return await self.cancel(request, action_id)

    async def _allowed(self, request: Request, action_id: str, action: AccessAction) -> JobId:
        job = JobId(read_id(action_id))
        await self._access.check_action(request, job, action)
        return job
