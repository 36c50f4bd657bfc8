"""Schedules for people: list, show, add, change, pause, resume, remove, run now."""

from datetime import datetime

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer
from holdfast.api.request.body import JUST_REASON, SETTINGS, TEXT, Body, read_settings
from holdfast.api.request.pages import Cursor, Size, page_by_name, paged
from holdfast.api.request.routes import CHANGES, Reason, Route, router
from holdfast.api.request.sample import ID, TIME, sample, typed
from holdfast.client.app import Holdfast
from holdfast.client.schedule import schedule_document, schedule_wire
from holdfast.client.schedules import add_schedule, change_schedule, require_schedule
from holdfast.db import schedules
from holdfast.model.access_key import AccessAction
from holdfast.model.schedule import Schedule

POLICY = {"task": "report", "cron": "0 7 * * 1-5", "tz": "Europe/Berlin"}
ADD = Body({"name": TEXT, **SETTINGS}, ["name", "settings"], {"name": "report", "settings": POLICY})
CHANGE = Body(SETTINGS, ["settings"], {"settings": {"cron": "0 8 * * 1-5"}, "reason": "after the import"})
REASONED = Body(JUST_REASON, example={"reason": "holidays"})


class ScheduleRoutes:
    """All need a key for all queues and tasks."""

    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    def routes(self) -> APIRouter:
        one = {
            **sample(Schedule, name="report", **POLICY, state="active"),
            "next_slots": typed(list[datetime], [TIME]),
        }
        changes = {**CHANGES, "name": "report"}
        return router(
            "schedules",
            Route("GET", "/schedules", self.find, paged("schedules", one, "report")),
            Route("POST", "/schedules", self.add, changes, ADD, status=201),
            Route("GET", "/schedules/{name}", self.show, one),
            Route("PATCH", "/schedules/{name}", self.change, changes, CHANGE),
            Route("DELETE", "/schedules/{name}", self.remove, {"name": "report", "removed": True}),
            Route("POST", "/schedules/{name}/pause", self.pause, one, REASONED),
            Route("POST", "/schedules/{name}/resume", self.resume, one, REASONED),
            Route("POST", "/schedules/{name}/run", self.run, {"job": ID}, REASONED, status=201),
        )

    async def find(self, request: Request, limit: Size = 100, cursor: Cursor = None) -> Response:
        """Schedules by name: the next five times of each, the last slot, its job and how it ended."""
        await self._access.check(request, AccessAction.READ_INSTALLATION)
        return await page_by_name(
            "schedules",
            lambda most, after: schedules.list_schedules(self._app.database, most, after),
            limit,
            cursor,
            schedule_document,
        )

    async def show(self, request: Request, name: str) -> Response:
        """One schedule."""
        await self._access.check(request, AccessAction.READ_INSTALLATION)
        return await self._answer(name)

    async def add(self, request: Request) -> Response:
        """Adds a schedule for a task or a pipeline, by a cron expression or an interval."""
        caller = await self._access.check(request, AccessAction.OPERATE_INSTALLATION)
        given = await ADD.read(request)
        name = given["name"]
        settings = read_settings(schedule_wire, name, given)
        changes = await add_schedule(self._app.database, name, settings, given.get("reason"), caller.name)
        return answer({"name": name, "changes": changes}, 201)

    async def change(self, request: Request, name: str) -> Response:
        """Changes settings of a schedule; other times count from now on, null restores a default."""
        caller = await self._access.check(request, AccessAction.OPERATE_INSTALLATION)
        given = await CHANGE.read(request)
        settings = read_settings(schedule_wire, name, given)
        changes = await change_schedule(self._app.database, name, settings, given.get("reason"), caller.name)
        return answer({"name": name, "changes": changes})

    async def remove(self, request: Request, name: str, reason: Reason = None) -> Response:
        """Removes a schedule. Its jobs stay."""
        caller = await self._access.check(request, AccessAction.OPERATE_INSTALLATION)
        await schedules.remove_schedule(self._app.database, name, reason, caller.name)
        return answer({"name": name, "removed": True})

    async def pause(self, request: Request, name: str) -> Response:
        """Makes no more jobs for the slots of a schedule."""
        caller = await self._access.check(request, AccessAction.OPERATE_INSTALLATION)
        given = await REASONED.read(request)
        await schedules.pause_schedule(self._app.database, name, given.get("reason"), caller.name)
        return await self._answer(name)

    async def resume(self, request: Request, name: str) -> Response:
        """Makes jobs for the slots of a schedule again, from now on."""
        caller = await self._access.check(request, AccessAction.OPERATE_INSTALLATION)
        given = await REASONED.read(request)
        await schedules.resume_schedule(self._app.database, name, given.get("reason"), caller.name)
        return await self._answer(name)

    async def run(self, request: Request, name: str) -> Response:
        """Makes a job of a schedule now, beside its slots."""
        caller = await self._access.check(request, AccessAction.OPERATE_INSTALLATION)
        given = await REASONED.read(request)
        job = await schedules.run_schedule(self._app.database, name, given.get("reason"), caller.name)
        return answer({"job": job}, 201)

    async def _answer(self, name: str) -> Response:
        return answer(schedule_document(await require_schedule(self._app.database, name)))
