"""Jobs as messages, for workers that only have `fetch`: pending, claim, complete, fail and stats.

A message is a job named by its unique key. Its payload is the message; `id` and `botParams` are added to it.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.messages.origin_check import OriginCheck
from holdfast.api.request.access import KEYED, Access
from holdfast.api.request.answer import answer, answers
from holdfast.api.request.body import VALUE, Body, or_null
from holdfast.api.request.sample import either, sample, typed, with_others
from holdfast.client.app import Holdfast
from holdfast.db import messages
from holdfast.model.access_key import AccessAction
from holdfast.model.message import MessageClaim, MessageCounts, PendingMessage
from holdfast.model.outcome import Verb
from holdfast.model.payload import encode
from holdfast.model.state import State

LEASE = timedelta(seconds=300)
MOST_PENDING = 1000
LONGEST_NAME = 1000
REPORTED = "The worker reported a failure."
WORDS = {
    State.RUNNING: "processing",
    State.COMPLETED: "complete",
    State.DEAD: "failed",
    State.REJECTED: "rejected",
    State.CANCELLED: "cancelled",
}
_PROBLEMS = (401, 403, 404, 409, 413, 422, 503)
_STATUS = {
    "status": "processing",
    "claimedBy": typed(str | None, "worker-1"),
    "claimedAt": typed(int | None, 1761422680000),
    "attempts": 0,
    "priority": 50,
}
_ID = "1761422679105-1j6sori2x"
# The fields of the payload, and of its `botParams`, stand beside them.
_MESSAGE = with_others({"id": _ID, "botParams": with_others(_STATUS)})
_CLAIMED = {"success": True, "message": _MESSAGE}
_NOT_CLAIMED = {"success": False, "reason": "already claimed", "status": "complete"}
_NAME = {"type": "string", "maxLength": LONGEST_NAME}
_NAMED = {"messageId": {**_NAME, "minLength": 1}, "workerId": or_null(_NAME)}
_EXAMPLE = {"messageId": _ID, "workerId": "worker-1"}
# Their content type is not looked at: `fetch` sends a string as text/plain.
CLAIM = Body({**_NAMED, "group": or_null(_NAME)}, ["messageId"], _EXAMPLE)
COMPLETE = Body({**_NAMED, "output": VALUE}, ["messageId"], _EXAMPLE)
FAIL = Body({**_NAMED, "error": or_null(_NAME)}, ["messageId"], _EXAMPLE)

Size = Annotated[int, Query(ge=1, le=MOST_PENDING)]
Group = Annotated[str | None, Query(max_length=200, description="Also jobs of this group.")]


class Messages:
    def __init__(self, app: Holdfast, access: Access, origins: Sequence[str]) -> None:
        """`origins`: whose pages may call these routes, besides those of the server's own address."""
        self._app, self._access = app, access
        self._origin = OriginCheck(origins)

    def routes(self) -> APIRouter:
        found = APIRouter(prefix="/api/queue", dependencies=[*KEYED, Depends(self._origin)])
        found.get("/pending", responses=answers([_MESSAGE], *_PROBLEMS))(self.pending)
        claimed = answers(either(_CLAIMED, _NOT_CLAIMED), *_PROBLEMS)
        found.post("/claim", responses=claimed, openapi_extra=_takes(CLAIM))(self.claim)
        ended = answers({"success": True, "status": "complete"}, *_PROBLEMS)
        found.post("/complete", responses=ended, openapi_extra=_takes(COMPLETE))(self.complete)
        found.post("/fail", responses=ended, openapi_extra=_takes(FAIL))(self.fail)
        counts = sample(MessageCounts)
        found.get("/stats", responses=answers(counts, 401, 403, 503))(self.stats)
        return found

    async def pending(self, request: Request, limit: Size = 10, group: Group = None) -> Response:
        """The messages that this key could claim now, the highest priority first, then the oldest."""
        caller = await self._access.check(request, AccessAction.WORK)
        found = await messages.pending_messages(self._app.database, caller.key, group, limit)
        return answer([_pending(one) for one in found])

    async def claim(self, request: Request) -> Response:
        """Takes one message for 300 seconds. `success` is false if another worker has it or it may not start.

        Each worker process needs an access key of its own, or must send a `workerId` of its own.
        """
        caller = await self._access.check(request, AccessAction.WORK)
        given = await CLAIM.read(request)
        message, worker, group = given["messageId"], given.get("workerId"), given.get("group")
        async with self._app.database.transaction() as conn:
            found = await messages.claim_message(conn, caller.key, worker, message, group, LEASE)
            await self._access.check(request, AccessAction.WORK, jobs=[found.job_id], on=conn)
        if not found.is_claimed:
            status = WORDS.get(found.state, "pending")
            return answer({"success": False, "reason": "already claimed", "status": status})
        return answer({"success": True, "message": _claimed(found, worker or caller.name)})

    async def complete(self, request: Request) -> Response:
        """Ends a message well. 409 `lease_lost`: its newest claim is not that of this key and `workerId`."""
        return await self._end(request, Verb.COMPLETE, COMPLETE)

    async def fail(self, request: Request) -> Response:
        """Ends an attempt badly: the message is retried as its queue says, or failed for good."""
        return await self._end(request, Verb.FAIL, FAIL)

    async def stats(self, request: Request) -> Response:
        """Messages in the key's scope: pending and processing now, complete and failed since installation."""
        caller = await self._access.check(request, AccessAction.READ_STATE)
        return answer(await messages.count_messages(self._app.database, caller.key))

    async def _end(self, request: Request, verb: Verb, body: Body) -> Response:
        caller = await self._access.check(request, AccessAction.WORK)
        given = await body.read(request)
        message, worker, output = given["messageId"], given.get("workerId"), encode(given.get("output"))
        detail = {"message": given.get("error") or REPORTED} if verb is Verb.FAIL else {}
        async with self._app.database.transaction() as conn:
            ended = await messages.end_message(conn, caller.key, worker, message, verb, output, detail)
            await self._access.check(request, AccessAction.WORK, jobs=[ended.job_id], on=conn)
        return answer({"success": True, "status": WORDS.get(ended.state, "pending")})


def _pending(job: PendingMessage) -> dict[str, Any]:
    return _message(job.payload, job.message_id, job.priority, job.failures, "pending")


def _claimed(job: MessageClaim, worker: str) -> dict[str, Any]:
    return _message(
        job.payload, job.message_id, job.priority, job.failures, "processing", worker, job.started_at
    )


def _message(
    payload: Any,
    message_id: str | None,
    priority: int | None,
    failures: int | None,
    status: str,
    worker: str | None = None,
    since: datetime | None = None,
) -> dict[str, Any]:
    """The payload with its state, in milliseconds since 1970 as JavaScript counts."""
    own = payload if isinstance(payload, dict) else {"payload": payload}
    params = own.get("botParams")
    state = {
        "priority": priority,
        "status": status,
        "claimedBy": worker,
        "claimedAt": None if since is None else round(since.timestamp() * 1000),
        "attempts": failures,
    }
    return {**own, "id": message_id, "botParams": {**(params if isinstance(params, dict) else {}), **state}}


def _takes(body: Body) -> dict[str, Any]:
    return {"requestBody": body.openapi}
