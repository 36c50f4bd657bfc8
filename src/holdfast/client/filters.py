"""Filters as a caller writes them, and as the database takes them."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, TypedDict
from uuid import UUID

from holdfast.client.run import Run
from holdfast.model.dead_letter import Triage
from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import InvalidInput
from holdfast.model.state import State


class LetterFilter(TypedDict, total=False):
    """Which dead letters: all that is given must fit. `since` and `until` are times of death."""

    queue: str | None
    task: str | None
    reason_of_death: str | None
    error_class: str | None
    error_type: str | None
    fingerprint: str | None
    status: Triage | str | None
    assignee: str | None
    run: Run | UUID | str | None
    since: datetime | None
    until: datetime | None


class JobFilter(TypedDict, total=False):
    """Which live jobs: all that is given must fit. `attempt` and `failures` mean at least so many."""

    state: State | str | None
    queue: str | None
    task: str | None
    run: Run | UUID | str | None
    labels: Mapping[str, Any] | None
    older_than: Duration | None
    newer_than: Duration | None
    attempt: int | None
    failures: int | None
    priority: int | None
    worker: UUID | str | None
    order_key: str | None


_AS_STORED = {"reason_of_death": "reason", "error_class": "class"}
_DURATIONS = ("older_than", "newer_than")


def wire(given: Mapping[str, Any]) -> dict[str, Any]:
    """In the form of the SQL verbs, without what is None."""
    return {
        _AS_STORED.get(name, name): _value(name, value) for name, value in given.items() if value is not None
    }


def _value(name: str, value: Any) -> Any:
    if name in _DURATIONS:
        return parse_duration(value).total_seconds()
    if isinstance(value, Run):
        return str(value.id)
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value


def read_state(value: str) -> State:
    try:
        return State(value)
    except ValueError:
        raise InvalidInput(f"{value!r} is not a state.", f"states are {', '.join(State)}") from None
