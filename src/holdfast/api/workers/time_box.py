"""One time box of work in this server: for a timer or an edge function that starts it with a request."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer
from holdfast.api.request.body import FLAG, NAMES, SPAN, Body, or_null, read_span
from holdfast.api.request.problem import RequestRefused
from holdfast.api.request.routes import Route, router
from holdfast.api.request.sample import ID, either, typed
from holdfast.client.app import Holdfast
from holdfast.client.read_id import read_id
from holdfast.client.time_boxed_work import WorkOptions
from holdfast.model.access_key import AccessAction
from holdfast.model.error import WrongState
from holdfast.model.id import RunId
from holdfast.worker.time_box.succession import COUNTED

TIME_BOX = timedelta(seconds=25)
LONGEST_BOX = timedelta(seconds=300)
MOST_JOBS = 1000
MOST_BOXES = 4  # at once; each is a worker with connections of its own to the database
MOST_PER_KEY = 2  # so that no caller keeps the others out
WORK = Body(
    {
        "time_box": or_null(SPAN),
        "queues": or_null(NAMES),
        "limit": or_null({"type": "integer", "minimum": 1, "maximum": MOST_JOBS}),
        "continue": or_null(FLAG),
        "continuation": {"description": "That of the earlier answer, or its id."},
    },
    example={"time_box": 25, "queues": ["mail"], "continue": True},
)
_COUNTS = {"processed": 112, "failed": 3, "released": 1}
_ONWARD = {
    "continuation": ID,
    "cause": "time_box",
    "run": typed(RunId | None),
    "group": typed(str | None, "default"),
    "queues": ["mail"],
    "index": 2,
    "claim_size": typed(int | None, 10),
    "remaining": typed(int | None, 30),
    "checkpoint": _COUNTS,
    "delay": 1.0,
}
_DONE = {
    "success": True,
    "processed": 12,
    "failed": 1,
    "released": 0,
    "remaining": typed(int | None, 30),
    "checkpoint": _COUNTS,
    "continuation": either(_ONWARD, None),
}


class Work:
    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access
        self._open: Counter[UUID] = Counter()  # by access key

    def routes(self) -> APIRouter:
        return router("work", Route("POST", "/work", self.work, _DONE, WORK))

    async def work(self, request: Request) -> Response:
        """Runs jobs of the app in this server for a time box (25 s, at most 300), and answers what was done.

        With `continue`, or the `continuation` of an earlier answer, it answers a `continuation` if work is
        left: send it with the next request.
        """
        caller = await self._access.check(request, AccessAction.WORK)
        if not self._app.tasks:
            raise WrongState(
                "This server has no app with tasks.",
                "mount the API in your app with api_app(app), or claim jobs over the API",
            )
        options, time_box = await self._options(request, await WORK.read(request))
        asked: list[Mapping[str, Any]] = []
        if "continuation" in options:
            options["continue_by"] = asked.append
        with self._place(caller.key):
            report = await self._app.work(time_box=time_box, **options)
        mine = (one for one in asked if str(one["continuation"]) == report.continuation)
        onward = next(mine, None)
        done = {name: getattr(report, name) for name in COUNTED}
        said = {"success": True, "remaining": report.remaining, "continuation": onward}
        return answer({**said, **done, "checkpoint": done if onward is None else onward["checkpoint"]})

    @contextmanager
    def _place(self, key: UUID) -> Iterator[None]:
        if self._open.total() >= MOST_BOXES or self._open[key] >= MOST_PER_KEY:
            raise RequestRefused(
                503,
                "too_many_time_boxes",
                f"This server runs at most {MOST_BOXES} time boxes at once, {MOST_PER_KEY} per access key.",
                "try again later",
            )
        self._open[key] += 1
        try:
            yield
        finally:
            self._open[key] -= 1
            self._open += Counter()  # forgets keys without any

    async def _options(self, request: Request, given: Mapping[str, Any]) -> tuple[WorkOptions, timedelta]:
        """With a `continuation`, which may be None, a successor is asked for."""
        queues = given.get("queues") or self._app.queue_names
        await self._access.check(request, AccessAction.WORK, queues=queues, tasks=sorted(self._app.tasks))
        options: WorkOptions = {"queues": queues, "metadata": {"started": "by a request"}}
        limit, before = given.get("limit"), given.get("continuation")
        if limit is not None:
            options["claim_size"] = limit
        if given.get("continue") or before is not None:
            options["continuation"] = None if before is None else _id_of(before)
        return options, read_span(given, "time_box", LONGEST_BOX) or TIME_BOX


def _id_of(continuation: Any) -> UUID:
    """Of the whole document, or its id."""
    found: Any = continuation.get("continuation") if isinstance(continuation, dict) else continuation
    return read_id(found)
