"""Logs when the circuit or the limit of an endpoint has changed that jobs of this worker call."""

import logging

from holdfast.db.endpoints import endpoint_states
from holdfast.db.statement import Executor
from holdfast.model.endpoint import Circuit, EndpointState
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event

_NO_CALLS = (Circuit.OPEN, Circuit.HELD_OPEN)


class EndpointWatch:
    """Looks now and then, so a change that is undone between two looks is not seen."""

    def __init__(self, names: set[str]) -> None:
        """`names`: grows as jobs with other endpoints are claimed."""
        self._names = names
        self._seen: dict[str, EndpointState] = {}

    async def look(self, on: Executor) -> int:
        """A maintenance task."""
        if not self._names:
            return 0
        return sum(self._compare(one) for one in await endpoint_states(on, sorted(self._names)))

    def _compare(self, now: EndpointState) -> bool:
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
