"""The audit trail of the installation: list, show and verify it."""

from collections.abc import AsyncIterator
from datetime import date, datetime
from typing import Any, TypedDict, Unpack
from uuid import UUID

from holdfast.client.connection_pools import Links
from holdfast.db import audit
from holdfast.db.statement import Executor
from holdfast.model.audit import AuditDay, AuditEvent
from holdfast.model.error import InvalidOption, NotFound


class EventFilter(TypedDict, total=False):
    """Which events; each that is given must match. Times need a time zone."""

    since: datetime | None
    until: datetime | None
    actor: str | None
    login: str | None
    cause: str | None
    queue: str | None
    job: UUID | None


class AuditTrail:
    """Available as `app.audit`."""

    def __init__(self, links: Links) -> None:
        self._links = links

    async def find(self, limit: int = 100, **filters: Unpack[EventFilter]) -> list[AuditEvent]:
        """The newest that match."""
        return await newest_events(self._database, filters, limit)

    async def every(self, **filters: Unpack[EventFilter]) -> AsyncIterator[AuditEvent]:
        """All that match, newest first, a page at a time."""
        async for event in every_event(self._database, filters):
            yield event

    async def show(self, number: int) -> AuditEvent:
        return await get_event(self._database, number)

    async def verify(
        self, since: date | None = None, until: date | None = None, expect: str | None = None
    ) -> list[AuditDay]:
        """Compares each day with its seal. `expect`: a seal kept elsewhere, which some day must have."""
        return await audit.verify_events(self._database, since, until, expect)

    @property
    def _database(self) -> Executor:
        return self._links.here().database


async def newest_events(on: Executor, filters: EventFilter, limit: int) -> list[AuditEvent]:
    found: list[AuditEvent] = []
    async for event in every_event(on, filters, page=limit):
        found.append(event)
        if len(found) == limit:
            break
    return found


async def every_event(
    on: Executor, filters: EventFilter, page: int = audit.MOST_EVENTS
) -> AsyncIterator[AuditEvent]:
    wanted, place = event_wire(filters), None
    while True:
        found = await audit.list_events(on, wanted, place, page)
        for event in found.items:
            yield event
        if (place := found.next) is None:
            return


async def get_event(on: Executor, number: int) -> AuditEvent:
    """Raises NotFound."""
    event = await audit.get_event(on, number)
    if event is None:
        raise NotFound(f"The audit trail has no event {number}.", "'holdfast audit list' shows the events")
    return event


def event_wire(filters: EventFilter) -> dict[str, Any]:
    return {name: _plain(name, value) for name, value in filters.items() if value is not None}


def _plain(name: str, value: object) -> str:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise InvalidOption(
                f"{name} must be a time with a time zone.", "pass datetime.now(UTC), for example"
            )
        return value.isoformat()
    return str(value)
