"""Moves of jobs between queues: a number of them now, and the pairs of queues that are rebalanced."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer
from holdfast.api.request.body import FLAG, NEEDED_REASON, REASON, SETTINGS, TEXT, Body
from holdfast.api.request.pages import Cursor, Size, page_by_place, paged
from holdfast.api.request.routes import CHANGES, Reason, Route, router
from holdfast.api.request.sample import sample
from holdfast.client.app import Holdfast
from holdfast.client.move import move_in_steps
from holdfast.db import moves
from holdfast.model.access_key import AccessAction
from holdfast.model.move import RebalancedPair, RebalancePair

MOST_MOVED = 10_000
MOVE = Body(
    {
        "to": TEXT,
        "limit": {"type": "integer", "minimum": 1, "maximum": MOST_MOVED},
        "reason": NEEDED_REASON,
    },
    ["to", "reason"],
    {"to": "bulk", "limit": 1000, "reason": "chat comes first"},
)
ROUND = Body({"dry_run": FLAG, "reason": REASON}, example={"dry_run": True})
SET = Body(
    SETTINGS, ["settings"], {"settings": {"ratio": 3, "max_jobs": 1000}, "reason": "two model servers"}
)


class QueueMoves:
    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    def routes(self) -> APIRouter:
        pair = {"from_queue": "chat", "to_queue": "bulk"}
        moved = {"from": "chat", "to": "bulk", "ready": 120, "scheduled": 0}
        changes = {**CHANGES, "name": "chat -> bulk"}
        path = "/rebalance/{source}/{target}"
        return router(
            "queues",
            Route("POST", "/queues/{name}/move", self.move, moved, MOVE),
            Route("GET", "/rebalance", self.pairs, paged("pairs", sample(RebalancePair, **pair), "100")),
            Route("POST", "/rebalance", self.rebalance, {"pairs": [sample(RebalancedPair, **pair)]}, ROUND),
            Route("PATCH", path, self.set_pair, changes, SET),
            Route("DELETE", path, self.remove_pair, {"name": "chat -> bulk", "removed": True}),
        )

    async def move(self, request: Request, name: str) -> Response:
        """Moves ready and scheduled jobs to another queue, those first that would start next."""
        await self._access.check(request, AccessAction.OPERATE_QUEUE, queues=[name])
        given = await MOVE.read(request)
        to, limit = given["to"], given.get("limit", 1000)
        caller = await self._access.check(request, AccessAction.OPERATE_QUEUE, queues=[name, to])
        moved = await move_in_steps(self._app.database, name, to, limit, given["reason"], caller.name)
        return answer({"from": name, "to": to, "ready": moved.ready, "scheduled": moved.scheduled})

    async def pairs(self, request: Request, limit: Size = 100, cursor: Cursor = None) -> Response:
        """The pairs of queues that rebalancing works on."""
        await self._access.check(request, AccessAction.READ_INSTALLATION)

        async def read(most: int) -> list[RebalancePair]:
            return (await moves.rebalance_pairs(self._app.database))[:most]

        return await page_by_place("pairs", read, limit, cursor)

    async def rebalance(self, request: Request) -> Response:
        """Moves jobs between pairs of queues of which one is much deeper, as workers do every 5 minutes."""
        caller = await self._access.check(request, AccessAction.OPERATE_INSTALLATION)
        given = await ROUND.read(request)
        dry_run, reason = given.get("dry_run", False), given.get("reason")
        found = await moves.rebalance_queues(self._app.database, dry_run, reason=reason, actor=caller.name)
        return answer({"pairs": found})

    async def set_pair(self, request: Request, source: str, target: str) -> Response:
        """Lets rebalancing move jobs from one queue to another, and sets when."""
        caller = await self._access.check(request, AccessAction.OPERATE_INSTALLATION)
        given = await SET.read(request)
        changes = await moves.set_rebalance(
            self._app.database, source, target, given["settings"], given.get("reason"), caller.name
        )
        return answer({"name": f"{source} -> {target}", "changes": changes})

    async def remove_pair(
        self, request: Request, source: str, target: str, reason: Reason = None
    ) -> Response:
        """Stops rebalancing between two queues. Jobs that were moved stay where they are."""
        caller = await self._access.check(request, AccessAction.OPERATE_INSTALLATION)
        await moves.remove_rebalance(self._app.database, source, target, reason, caller.name)
        return answer({"name": f"{source} -> {target}", "removed": True})
