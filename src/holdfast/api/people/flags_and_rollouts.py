"""What people switch while workers run: flags and gradual roll-outs."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer
from holdfast.api.request.body import REASON, TEXT, Body
from holdfast.api.request.pages import Cursor, Size, page_by_place, paged
from holdfast.api.request.routes import CHANGES, Route, router
from holdfast.api.request.sample import sample
from holdfast.client.app import Holdfast
from holdfast.db import flags, rollouts
from holdfast.model.access_key import AccessAction
from holdfast.model.audit import SettingChange
from holdfast.model.flag import Flag
from holdfast.model.rollout import Rollout, parse_share

Key = Annotated[str, Query(description="Such as the id of a customer.")]
SET_FLAG = Body(
    {
        "value": {
            "type": ["string", "integer", "null"],
            "maxLength": 200,
            "description": "null: the default.",
        },
        "queue": TEXT,
        "group": TEXT,
        "reason": REASON,
    },
    ["value"],
    {"value": "off", "queue": "mail", "reason": "we look at a hanging job"},
)
SET_ROLLOUT = Body(
    {"share": {"type": ["string", "number"], "description": "off, on, or a percentage."}, "reason": REASON},
    ["share"],
    {"share": "20%", "reason": "the first customers"},
)


class FlagsAndRollouts:
    """All but the question of a producer need a key for all queues and tasks."""

    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    def routes(self) -> APIRouter:
        flag, rollout = (
            sample(Flag, name="rescue", value="on"),
            sample(Rollout, name="new-queue", percent=20.0),
        )
        change = sample(SettingChange, setting="rescue", before="on", after="off")
        changes = {"name": "rescue", "changes": [change]}
        shares = {**CHANGES, "name": "new-queue"}
        held = {"name": "new-queue", "key": "17", "in": True}
        return router(
            "flags and roll-outs",
            Route("GET", "/flags", self.flags, paged("flags", flag, "100")),
            Route("PATCH", "/flags/{name}", self.set_flag, changes, SET_FLAG),
            Route("GET", "/rollouts", self.rollouts, paged("rollouts", rollout, "100")),
            Route("GET", "/rollouts/{name}", self.check, held),
            Route("PATCH", "/rollouts/{name}", self.set_rollout, shares, SET_ROLLOUT),
        )

    async def flags(self, request: Request, limit: Size = 100, cursor: Cursor = None) -> Response:
        """Each flag with its value for all, then those that are set for one queue or worker group."""
        await self._access.check(request, AccessAction.READ_INSTALLATION)
        return await page_by_place(
            "flags", lambda most: flags.list_flags(self._app.database, most), limit, cursor
        )

    async def set_flag(self, request: Request, name: str) -> Response:
        """Sets a flag for all, or for one queue or worker group; running workers apply it at once."""
        caller = await self._access.check(request, AccessAction.OPERATE_INSTALLATION)
        given = await SET_FLAG.read(request)
        value = None if given["value"] is None else str(given["value"])
        where = given.get("queue"), given.get("group")
        changes = await flags.set_flag(
            self._app.database, name, value, *where, given.get("reason"), caller.name
        )
        return answer({"name": name, "changes": changes})

    async def rollouts(self, request: Request, limit: Size = 100, cursor: Cursor = None) -> Response:
        """The roll-outs that were set. A name that was never set is off."""
        await self._access.check(request, AccessAction.READ_INSTALLATION)

        async def read(most: int) -> list[Rollout]:
            return (await rollouts.list_rollouts(self._app.database))[:most]

        return await page_by_place("rollouts", read, limit, cursor)

    async def check(self, request: Request, name: str, key: Key) -> Response:
        """Whether a key takes the new way of a roll-out: for producers too."""
        await self._access.check(request, AccessAction.CHECK_ROLLOUT)
        is_in = await rollouts.in_rollout(self._app.database, name, key)
        return answer({"name": name, "key": key, "in": is_in})

    async def set_rollout(self, request: Request, name: str) -> Response:
        """Sets which part of the keys takes the new way; raising it keeps all keys that are in."""
        caller = await self._access.check(request, AccessAction.OPERATE_INSTALLATION)
        given = await SET_ROLLOUT.read(request)
        percent = parse_share(given["share"])
        changes = await rollouts.set_rollout(
            self._app.database, name, percent, given.get("reason"), caller.name
        )
        return answer({"name": name, "changes": changes})
