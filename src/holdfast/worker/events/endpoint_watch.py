"""Logs when the circuit or the limit of an endpoint has changed that jobs of this worker call."""

import logging

from holdfast.db.endpoints import get_endpoints
from holdfast.db.statement import Executor
from holdfast.model.endpoint import Circuit, EndpointSummary
from holdfast.model.error import PermissionDenied
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event

_NO_CALLS = (Circuit.OPEN, Circuit.HELD_OPEN)


class EndpointWatch:
    """Looks now and then, so a change that is undone between two looks is not seen."""

    def __init__(self, names: set[str]) -> None:
        """`names`: grows as jobs with other endpoints are claimed."""
        self._names = names
        self._seen: dict[str, EndpointSummary] = {}
        self._may_look = True

    async def look(self, on: Executor) -> int:
        """A maintenance task. A login that may only work, not read, sees no endpoints."""
        if not self._names or not self._may_look:
            return 0
        try:
            found = await get_endpoints(on, sorted(self._names))
        except PermissionDenied:
            self._may_look = False
            return 0
        return sum(self._compare(one) for one in found)

    def _compare(self, now: EndpointSummary) -> bool:
        before = self._seen.get(now.name)
        self._seen[now.name] = now
        was = Circuit.CLOSED if before is None else before.circuit
        if now.circuit != was:
            level = None if now.circuit in _NO_CALLS else logging.INFO
            emit(
                Event.CIRCUIT_CHANGED,
                level,
                endpoint=now.name,
                circuit=now.circuit,
                before=was,
                limit=now.limit,
                until=now.open_until,
            )
        if before is not None and now.limit != before.limit:
            emit(Event.LIMIT_CHANGED, endpoint=now.name, limit=now.limit, before=before.limit)
        return now.circuit != was
