"""Endpoints for people: list, show, the last seconds of calls, settings, open and close the circuit."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer
from holdfast.api.request.body import JUST_REASON, SETTINGS, Body, read_settings
from holdfast.api.request.pages import Cursor, Size, page_by_name, paged
from holdfast.api.request.routes import CHANGES, Route, Since, router
from holdfast.api.request.sample import sample
from holdfast.client.app import Holdfast
from holdfast.client.endpoint import endpoint_wire
from holdfast.db import endpoints
from holdfast.model.access_key import AccessAction
from holdfast.model.duration import parse_duration
from holdfast.model.endpoint import EndpointSecond, EndpointSummary

SET = Body(SETTINGS, ["settings"], {"settings": {"max": 16, "pause": 30}, "reason": "a second server"})
CIRCUIT = Body(JUST_REASON, example={"reason": "maintenance of the model server"})


class Endpoints:
    """All need a key for all queues and tasks: queues share endpoints."""

    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    def routes(self) -> APIRouter:
        one = sample(EndpointSummary, name="llama", circuit="closed", mode="flow")
        second = sample(EndpointSecond, circuit="closed")
        return router(
            "endpoints",
            Route("GET", "/endpoints", self.find, paged("endpoints", one, "llama")),
            Route("GET", "/endpoints/{name}", self.show, one),
            Route("GET", "/endpoints/{name}/history", self.history, {"name": "llama", "seconds": [second]}),
            Route("PATCH", "/endpoints/{name}", self.change, {**CHANGES, "name": "llama"}, SET),
            Route("POST", "/endpoints/{name}/open", self.open, one, CIRCUIT),
            Route("POST", "/endpoints/{name}/close", self.close, one, CIRCUIT),
        )

    async def find(self, request: Request, limit: Size = 100, cursor: Cursor = None) -> Response:
        """Endpoints by name, with circuit, limit and calls."""
        await self._access.check(request, AccessAction.READ_INSTALLATION)
        return await page_by_name(
            "endpoints",
            lambda most, after: endpoints.list_endpoints(self._app.database, most, after),
            limit,
            cursor,
        )

    async def show(self, request: Request, name: str) -> Response:
        """One endpoint: its settings and its health."""
        await self._access.check(request, AccessAction.READ_INSTALLATION)
        return answer(await endpoints.get_endpoint(self._app.database, name))

    async def history(self, request: Request, name: str, since: Since = "10m") -> Response:
        """The calls of an endpoint second by second, at most six hours back; the oldest first."""
        await self._access.check(request, AccessAction.READ_INSTALLATION)
        found = await endpoints.endpoint_history(self._app.database, name, parse_duration(since))
        return answer({"name": name, "seconds": found})

    async def change(self, request: Request, name: str) -> Response:
        """Changes settings of an endpoint, and creates it if there is none."""
        caller = await self._access.check(request, AccessAction.OPERATE_INSTALLATION)
        given = await SET.read(request)
        settings = read_settings(endpoint_wire, name, given)
        changes = await endpoints.set_endpoint(
            self._app.database, name, settings, given.get("reason"), caller.name
        )
        return answer({"name": name, "changes": changes})

    async def open(self, request: Request, name: str) -> Response:
        """Opens the circuit: no more calls start until it is closed. Running calls continue."""
        caller = await self._access.check(request, AccessAction.OPERATE_INSTALLATION)
        given = await CIRCUIT.read(request)
        await endpoints.open_endpoint(self._app.database, name, given.get("reason"), caller.name)
        return answer(await endpoints.get_endpoint(self._app.database, name))

    async def close(self, request: Request, name: str) -> Response:
        """Closes the circuit: calls start again, also after a 429 answer that asked for a wait."""
        caller = await self._access.check(request, AccessAction.OPERATE_INSTALLATION)
        given = await CIRCUIT.read(request)
        await endpoints.close_endpoint(self._app.database, name, given.get("reason"), caller.name)
        return answer(await endpoints.get_endpoint(self._app.database, name))
