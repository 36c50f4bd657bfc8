"""Queues for people: list, show, settings, pause and resume, depth, how many workers one needs."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer
from holdfast.api.request.body import JUST_REASON, SETTINGS, Body, read_settings
from holdfast.api.request.pages import Cursor, Size, page, paged
from holdfast.api.request.routes import CHANGES, Route, Since, router
from holdfast.api.request.sample import sample, typed
from holdfast.api.request.scoped_view import all_seen_by, seen_by
from holdfast.client.app import Holdfast
from holdfast.client.task_and_queue_settings import queue_wire
from holdfast.db import depths, queues, worker_needs
from holdfast.model.access_key import AccessAction, Caller
from holdfast.model.depth import DepthSample
from holdfast.model.duration import parse_duration
from holdfast.model.queue import FullPause, QueueDetails, QueueSummary
from holdfast.model.worker_need import WorkerNeed

Slots = Annotated[int | None, Query(ge=1, le=10_000, description="Jobs at once per worker.")]
Target = Annotated[str, Query(description="The longest time that a job should wait before it starts.")]
Ahead = Annotated[str, Query(description="How far to plan ahead.")]
PAUSE = Body(JUST_REASON, example={"reason": "the mail server is down"})
SET = Body(
    SETTINGS, ["settings"], {"settings": {"timeout": 120, "max_concurrent": 4}, "reason": "slow model"}
)
MOST_SAMPLES = 10_000


class Queues:
    """A key for some queues sees and changes these only; a key for some tasks has no queue of its own."""

    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    def routes(self) -> APIRouter:
        mail = {"queue": "mail"}
        one = sample(QueueSummary, name="mail")
        found = paged("queues", one, "mail", all_paused=typed(FullPause | None))
        depth = {**mail, "samples": [sample(DepthSample, **mail)]}
        everything = {"paused": True, "still_paused": typed(list[str])}
        return router(
            "queues",
            Route("GET", "/queues", self.find, found),
            Route("GET", "/queues/{name}", self.show, sample(QueueDetails, name="mail")),
            Route("PATCH", "/queues/{name}", self.change, CHANGES, SET),
            Route("GET", "/queues/{name}/depth", self.depth, depth),
            Route("GET", "/queues/{name}/workers", self.recommend, sample(WorkerNeed, **mail)),
            Route("POST", "/queues/{name}/pause", self.pause, {**mail, "paused": True}, PAUSE),
            Route("POST", "/queues/{name}/resume", self.resume, {**mail, "paused": False}, PAUSE),
            Route("POST", "/queues/pause", self.pause_all, everything, PAUSE),
            Route("POST", "/queues/resume", self.resume_all, {**everything, "paused": False}, PAUSE),
        )

    async def find(self, request: Request, limit: Size = 100, cursor: Cursor = None) -> Response:
        """Queues by name, with the number of jobs in each state. `all_paused`: the pause of all queues."""
        caller = await self._access.check(request, AccessAction.LIST_JOBS, queues=[])
        database = self._app.database
        if caller.queues is None:
            found = await queues.list_queues(database, limit + 1, cursor)
        else:
            found = [
                one for one in await queues.named_queues(database, caller.queues) if _is_after(one, cursor)
            ]
        following = found[limit - 1].name if len(found) > limit else None
        pause = await queues.full_pause(database)
        said = None if pause is None else seen_by(caller, pause)
        return page("queues", all_seen_by(caller, found[:limit]), following, all_paused=said)

    async def show(self, request: Request, name: str) -> Response:
        """One queue: its jobs by state and its settings."""
        caller = await self._access.check(request, AccessAction.LIST_JOBS, queues=[name])
        return answer(seen_by(caller, await queues.get_queue(self._app.database, name)))

    async def change(self, request: Request, name: str) -> Response:
        """Changes settings of a queue, and creates it if there is none; null restores a default."""
        caller = await self._operator(request, name)
        given = await SET.read(request)
        policy = read_settings(queue_wire, name, given)
        changes = await queues.set_queue(self._app.database, name, policy, given.get("reason"), caller.name)
        return answer({"name": name, "changes": changes})

    async def depth(self, request: Request, name: str, since: Since = "1h") -> Response:
        """How many jobs of a queue were live, by minute for 7 days and by hour before; the oldest first."""
        await self._access.check(request, AccessAction.LIST_JOBS, queues=[name])
        span = parse_duration(since)
        samples = await depths.depth_history(self._app.database, span, name, MOST_SAMPLES)
        return answer({"queue": name, "samples": samples})

    async def recommend(
        self,
        request: Request,
        name: str,
        target: Target = "30s",
        ahead: Ahead = "10m",
        slots: Slots = None,
    ) -> Response:
        """How many workers a queue needs so that its jobs start within `target`, now and `ahead` of now."""
        await self._access.check(request, AccessAction.LIST_JOBS, queues=[name])
        wanted, later = parse_duration(target), parse_duration(ahead)
        return answer(await worker_needs.recommended_workers(self._app.database, name, wanted, later, slots))

    async def pause(self, request: Request, name: str) -> Response:
        """Starts no more jobs of a queue. Running jobs continue."""
        caller = await self._operator(request, name)
        given = await PAUSE.read(request)
        await queues.pause_queue(self._app.database, name, given.get("reason"), caller.name)
        return answer({"queue": name, "paused": True})

    async def resume(self, request: Request, name: str) -> Response:
        """Starts jobs of a queue again, unless all queues are paused."""
        caller = await self._operator(request, name)
        given = await PAUSE.read(request)
        await queues.resume_queue(self._app.database, name, given.get("reason"), caller.name)
        return answer({"queue": name, "paused": False})

    async def pause_all(self, request: Request) -> Response:
        """Starts no more jobs of any queue, those that are created later included."""
        caller = await self._access.check(request, AccessAction.OPERATE_INSTALLATION)
        given = await PAUSE.read(request)
        await queues.pause_all(self._app.database, given.get("reason"), caller.name)
        return answer({"paused": True, "still_paused": []})

    async def resume_all(self, request: Request) -> Response:
        """Ends the pause of all queues. `still_paused`: queues that were paused by name, up to 1,000."""
        caller = await self._access.check(request, AccessAction.OPERATE_INSTALLATION)
        given = await PAUSE.read(request)
        rest = await queues.resume_all(self._app.database, given.get("reason"), caller.name)
        return answer({"paused": False, "still_paused": rest})

    async def _operator(self, request: Request, name: str) -> Caller:
        return await self._access.check(request, AccessAction.OPERATE_QUEUE, queues=[name])


def _is_after(queue: QueueSummary, cursor: str | None) -> bool:
    return cursor is None or queue.name > cursor
