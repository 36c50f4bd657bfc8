"""Runs for people: list, cancel, replay."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer
from holdfast.api.request.body import REASON, Body
from holdfast.api.request.pages import Cursor, Size, page, paged
from holdfast.api.request.routes import Route, router
from holdfast.api.request.sample import ID, sample
from holdfast.client.app import Holdfast
from holdfast.client.filters import read_labels
from holdfast.client.read_id import read_id
from holdfast.client.run import in_batches
from holdfast.db import runs
from holdfast.db.clock import now
from holdfast.model.access_key import AccessAction
from holdfast.model.id import RunId
from holdfast.model.run_progress import RunFilter, RunPhase, RunSummary, Which

OneState = Annotated[RunPhase | None, Query(description="Only runs that go on, or that have ended.")]
Name = Annotated[str | None, Query(max_length=200, description="Only runs with this text in their names.")]
Label = Annotated[list[str] | None, Query(description="Only runs with this label, NAME=VALUE. May repeat.")]
Origin = Annotated[str | None, Query(description="Only runs with this origin, such as manual.")]
Actor = Annotated[str | None, Query(description="Only runs that this login or access key started.")]
CANCEL = Body({"reason": REASON}, example={"reason": "wrong list"})
REPLAY = Body(
    {"which": {"type": "string", "enum": [str(one) for one in Which]}, "reason": REASON},
    example={"which": "dead", "reason": "the server works again"},
)


class ManageRuns:
    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    def routes(self) -> APIRouter:
        return router(
            "runs",
            Route("GET", "/runs", self.find, paged("runs", sample(RunSummary, name="nightly"), ID)),
            Route("POST", "/runs/{run_id}/cancel", self.cancel, {"run": ID, "cancelled": 12}, CANCEL),
            Route("POST", "/runs/{run_id}/replay", self.replay, {"run": ID, "replayed": 3}, REPLAY),
        )

    async def find(
        self,
        request: Request,
        state: OneState = None,
        name: Name = None,
        label: Label = None,
        origin: Origin = None,
        actor: Actor = None,
        limit: Size = 100,
        cursor: Cursor = None,
    ) -> Response:
        """Runs, the newest first; a page looks at 10,000 of them. Needs a key for all queues and tasks."""
        await self._access.check(request, AccessAction.READ_INSTALLATION)
        before = None if cursor is None else RunId(read_id(cursor))
        wanted = RunFilter(state, name, read_labels(label or ()), origin, actor)
        found = await runs.find_runs(self._app.database, wanted, limit, before)
        return page("runs", found.items, found.next)

    async def cancel(self, request: Request, run_id: str) -> Response:
        """Seals a run and cancels its jobs that have not ended; running ones are asked to stop."""
        run = RunId(read_id(run_id))
        caller = await self._access.check(request, AccessAction.OPERATE, runs=[run])
        given = await CANCEL.read(request)

        async def batch() -> int:
            async with self._access.changing(request, AccessAction.OPERATE, runs=[run]) as conn:
                return await runs.cancel_run(conn, run, given.get("reason"), caller.name)

        return answer({"run": run, "cancelled": await in_batches(batch)})

    async def replay(self, request: Request, run_id: str) -> Response:
        """Runs the dead jobs of a run again, or with `which` `all` all that ended."""
        run = RunId(read_id(run_id))
        caller = await self._access.check(request, AccessAction.OPERATE, runs=[run])
        given = await REPLAY.read(request)
        which, before = Which(given.get("which", Which.DEAD)), await now(self._app.database)

        async def batch() -> int:
            async with self._access.changing(request, AccessAction.OPERATE, runs=[run]) as conn:
                return await runs.replay_run(conn, run, which, given.get("reason"), caller.name, before)

        return answer({"run": run, "replayed": await in_batches(batch)})
