"""Workers for people: list, show, how they left, drain."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer
from holdfast.api.request.body import IDS, NEEDED_REASON, TEXT, Body
from holdfast.api.request.pages import Cursor, Size, page_by_place, paged
from holdfast.api.request.routes import Route, Since, router
from holdfast.api.request.sample import ID, sample
from holdfast.client.app import Holdfast
from holdfast.client.read_id import read_id
from holdfast.db import worker_list
from holdfast.model.access_key import AccessAction
from holdfast.model.duration import parse_duration
from holdfast.model.id import WorkerId
from holdfast.model.worker import LeftWorkers, WorkerSummary

Everyone = Annotated[bool, Query(alias="all", description="Also those that stopped or were lost recently.")]
Group = Annotated[str | None, Query(description="Only workers of this group.")]
DRAIN = Body(
    {"workers": IDS, "group": TEXT, "reason": NEEDED_REASON},
    ["reason"],
    {"workers": [ID], "reason": "a new release"},
)


class ManageWorkers:
    """All need a key for all queues and tasks."""

    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    def routes(self) -> APIRouter:
        one = sample(WorkerSummary, group="default", queues=["mail"], state="working")
        left = {"hours": [sample(LeftWorkers, group="default")]}
        return router(
            "workers",
            Route("GET", "/workers", self.find, paged("workers", one, "100")),
            Route("GET", "/workers/left", self.left, left),
            Route("GET", "/workers/{worker_id}", self.show, one),
            Route("POST", "/workers/drain", self.drain, {"workers": [ID]}, DRAIN),
        )

    async def find(
        self, request: Request, everyone: Everyone = False, limit: Size = 100, cursor: Cursor = None
    ) -> Response:
        """Live workers, the newest first."""
        await self._access.check(request, AccessAction.READ_INSTALLATION)
        return await page_by_place(
            "workers",
            lambda most: worker_list.list_workers(self._app.database, most, live_only=not everyone),
            limit,
            cursor,
        )

    async def left(self, request: Request, since: Since = "1d", group: Group = None) -> Response:
        """How many workers left, by hour and group: how they left, how long they lived, what they did."""
        await self._access.check(request, AccessAction.READ_INSTALLATION)
        found = await worker_list.left_workers(self._app.database, parse_duration(since), group)
        return answer({"hours": found})

    async def show(self, request: Request, worker_id: str) -> Response:
        """One worker: its lease, job counts, time box and metadata."""
        worker = WorkerId(read_id(worker_id))
        await self._access.check(request, AccessAction.READ_INSTALLATION)
        return answer(await worker_list.require_worker(self._app.database, worker))

    async def drain(self, request: Request) -> Response:
        """Asks workers, by id or by group, to finish their jobs and exit; answers which were asked."""
        caller = await self._access.check(request, AccessAction.OPERATE_INSTALLATION)
        given = await DRAIN.read(request)
        ids = [WorkerId(read_id(one)) for one in given["workers"]] if "workers" in given else None
        asked = await worker_list.drain_workers(
            self._app.database, ids, given.get("group"), given["reason"], caller.name
        )
        return answer({"workers": asked})
