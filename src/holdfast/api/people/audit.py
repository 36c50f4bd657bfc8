"""The audit trail for people: its events, one of them, and whether it is intact."""

from datetime import date
from typing import Annotated, Any, cast

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer
from holdfast.api.request.pages import Cursor, Size, page, paged, read_number
from holdfast.api.request.query_filters import EVENT_FILTERS
from holdfast.api.request.routes import Route, router
from holdfast.api.request.sample import sample
from holdfast.client.app import Holdfast
from holdfast.client.audit import EventFilter, event_wire, get_event
from holdfast.db import audit
from holdfast.model.access_key import AccessAction
from holdfast.model.audit import AuditDay, AuditEvent, DayStatus
from holdfast.model.json_document import plain

LARGEST = 2**63 - 1
Number = Annotated[int, Path(ge=1, le=LARGEST, description="The number of the event.")]
Day = Annotated[date | None, Query(description="Only days from it on, or up to it.")]
Expect = Annotated[
    str | None, Query(description="A seal that you kept: verifies that the seal of a day is equal to it.")
]


class Audit:
    """All need a key for all queues and tasks."""

    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    def routes(self) -> APIRouter:
        event = {**sample(AuditEvent, cause="set_queue", queue="mail", actor="ada"), "id": "17"}
        verified = {"intact": True, "days": [sample(AuditDay, status="intact")]}
        return router(
            "audit trail",
            Route("GET", "/audit", self.find, paged("events", event, "17"), filters=EVENT_FILTERS),
            Route("GET", "/audit/verify", self.verify, verified),
            Route("GET", "/audit/{number}", self.show, event),
        )

    async def find(self, request: Request, limit: Size = 100, cursor: Cursor = None) -> Response:
        """Changes of settings, actions of operators and bad ends, the most recent first.

        A page may be empty and still have a `next`.
        """
        await self._access.check(request, AccessAction.READ_INSTALLATION)
        wanted = event_wire(cast(EventFilter, EVENT_FILTERS.read(request)))
        found = await audit.list_events(self._app.database, wanted, read_number(cursor, LARGEST), limit)
        return page("events", [_document(event) for event in found.items], found.next)

    async def show(self, request: Request, number: Number) -> Response:
        """One event with all its details, and the day whose seal covers it."""
        await self._access.check(request, AccessAction.READ_INSTALLATION)
        return answer(_document(await get_event(self._app.database, number)))

    async def verify(
        self, request: Request, since: Day = None, until: Day = None, expect: Expect = None
    ) -> Response:
        """Compares the audit trail with its seals, day by day (UTC)."""
        await self._access.check(request, AccessAction.READ_INSTALLATION)
        days = await audit.verify_events(self._app.database, since, until, expect)
        intact = all(day.status is not DayStatus.BROKEN for day in days)
        return answer({"intact": intact, "days": days})


def _document(event: AuditEvent) -> dict[str, Any]:
    """As everywhere in the API, the id is text."""
    return {**plain(event), "id": str(event.id)}
