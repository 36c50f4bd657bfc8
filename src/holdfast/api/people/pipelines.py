"""Pipelines for people: list, one version with the jobs at each stage, and what its stages have done."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer
from holdfast.api.request.pages import Cursor, Size, page_by_place, paged
from holdfast.api.request.routes import Route, Since, router
from holdfast.api.request.sample import sample, typed
from holdfast.client.app import Holdfast
from holdfast.client.pipeline_board import (
    OF_THE_PIPELINE,
    PipelineVersion,
    StageLoad,
    list_versions,
    read_board,
)
from holdfast.db import stats
from holdfast.model.access_key import AccessAction
from holdfast.model.duration import parse_duration
from holdfast.model.pipeline import StageDetails
from holdfast.model.stats import EndStats, StatsBy

Version = Annotated[int | None, Query(ge=1, le=2**31 - 1, description="By default the newest.")]


class Pipelines:
    """All need a key for all queues and tasks: a pipeline has several queues."""

    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    def routes(self) -> APIRouter:
        named = {"name": "posts", "version": 2}
        version = sample(PipelineVersion, **named, stages=["draft", "review"], is_newest=True)
        known = sample(StageDetails, stage="draft", task="draft", queue="posts.draft")
        stage = {key: known[key] for key in known if key not in OF_THE_PIPELINE}
        shown = {**named, "stages": [{**stage, "jobs": typed(StageLoad | None)}]}
        ended = {"name": "posts", "ended": [sample(EndStats, name="posts/draft")]}
        return router(
            "pipelines",
            Route("GET", "/pipelines", self.find, paged("pipelines", version, "100")),
            Route("GET", "/pipelines/{name}", self.show, shown),
            Route("GET", "/pipelines/{name}/stats", self.stats, ended),
        )

    async def find(self, request: Request, limit: Size = 100, cursor: Cursor = None) -> Response:
        """Pipelines by name, each with its versions and stages, the newest version first."""
        await self._access.check(request, AccessAction.READ_INSTALLATION)
        return await page_by_place(
            "pipelines", lambda most: list_versions(self._app.database, most), limit, cursor
        )

    async def show(self, request: Request, name: str, version: Version = None) -> Response:
        """The board of a pipeline: its stages in order, with the jobs in the queue of each."""
        await self._access.check(request, AccessAction.READ_INSTALLATION)
        return answer((await read_board(self._app.database, name, version)).document())

    async def stats(self, request: Request, name: str, since: Since = "1h") -> Response:
        """What left each stage of a pipeline lately: counts, rates, waits and run times."""
        await self._access.check(request, AccessAction.READ_INSTALLATION)
        found = await stats.end_stats(self._app.database, parse_duration(since), StatsBy.STAGE)
        ended = [one.document() for one in found if one.name.partition("/")[0] == name]
        return answer({"name": name, "ended": ended})
