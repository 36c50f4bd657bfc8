"""Filters as a caller writes them, and as the SQL functions take them."""

import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, TypedDict
from uuid import UUID

from holdfast.client.read_id import read_id
from holdfast.client.run import Run
from holdfast.db.clock import now
from holdfast.db.statement import Executor
from holdfast.model.dead_letter import Triage
from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import InvalidInput, InvalidOption
from holdfast.model.state import State

PayloadValue = str | int | float | bool | None


class LetterFilter(TypedDict, total=False):
    """Which dead letters: all that is given must fit.

    `since` and `until` are times of death; a timedelta reaches back from the database's clock.
    """

    queue: str | None
    task: str | None
    reason_of_death: str | None
    error_class: str | None
    error_type: str | None
    fingerprint: str | None
    status: Triage | str | None
    assignee: str | None
    run: Run | UUID | str | None
    since: datetime | timedelta | None
    until: datetime | timedelta | None


class JobFilter(TypedDict, total=False):
    """Which jobs: all that is given must fit. `attempt` and `failures` mean at least so many.

    `actor` is the database login, or the name that the caller of the enqueue claimed. `fingerprint` is that
    of the latest error. `payload` has values by path, such as {"customer.id": "4711", "items.0.size": 3}: a
    text equals a string, and a number, true, false or null as it is written; a number equals numbers only.
    """

    state: State | str | None
    queue: str | None
    task: str | None
    run: Run | UUID | str | None
    labels: Mapping[str, Any] | None
    older_than: Duration | None
    newer_than: Duration | None
    enqueued_after: datetime | None
    enqueued_before: datetime | None
    attempt: int | None
    failures: int | None
    priority: int | None
    worker: UUID | str | None
    order_key: str | None
    unique_key: str | None
    unique_scope: str | None
    origin: str | None
    actor: str | None
    fingerprint: str | None
    payload: Mapping[str, PayloadValue] | None


_AS_STORED = {"reason_of_death": "reason", "error_class": "class"}
_DURATIONS = ("older_than", "newer_than")
_TIMES_OF_DEATH = ("since", "until")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


async def letter_wire(on: Executor, given: Mapping[str, Any]) -> dict[str, Any]:
    """In the form of the SQL verbs, in which a time of death is absolute."""
    spans = {name: given[name] for name in _TIMES_OF_DEATH if isinstance(given.get(name), timedelta)}
    if spans:
        at = await now(on)
        given = {**given, **{name: at - span for name, span in spans.items()}}
    return wire(given)


def wire(given: Mapping[str, Any]) -> dict[str, Any]:
    """In the form of the SQL verbs, without what is None."""
    return {
        _AS_STORED.get(name, name): _value(name, value) for name, value in given.items() if value is not None
    }


def _value(name: str, value: Any) -> Any:
    if name in _DURATIONS:
        return parse_duration(value).total_seconds()
    if name == "state":
        return read_state(value)
    if name == "run":
        return str(value.id if isinstance(value, Run) else read_id(value))
    if name == "payload":
        check_storable(part for pair in value.items() for part in pair)
    if isinstance(value, UUID):
        return str(value)
    return value.isoformat() if isinstance(value, datetime) else value


def read_labels(pairs: Iterable[str]) -> dict[str, Any]:
    """NAME=VALUE: `5` is a number and `true` a truth value; what is not JSON is text."""
    found = {}
    for pair in pairs:
        name, has_value, value = pair.partition("=")
        if not has_value or not name:
            raise InvalidOption(f"A label must be NAME=VALUE (got {pair!r}).", "write it as team=search")
        found[name] = json_or_text(value)
    return found


def read_payload_values(pairs: Iterable[str], sign: str) -> dict[str, PayloadValue]:
    """PATH, the sign and VALUE, which is a text: it also equals a number that is written so."""
    found: dict[str, PayloadValue] = {}
    for pair in pairs:
        path, has_value, value = pair.partition(sign)
        if not has_value or not path:
            raise InvalidOption(
                f"A filter on the payload must be PATH{sign}VALUE (got {pair[:100]!r}).",
                f"write it as customer.id{sign}4711",
            )
        if path in found:
            raise InvalidOption(f"The path {path[:100]!r} is given twice.", "give each path once")
        found[path] = value
    return found


def check_storable(values: Iterable[object]) -> None:
    """The database refuses NUL and halves of surrogate pairs before its own check can name them."""
    if any(isinstance(one, str) and _UNSTORABLE.search(one) for one in values):
        raise InvalidOption(
            "The filter contains a NUL character or half of a surrogate pair.",
            "no job can contain these characters; remove them",
        )


def json_or_text(value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def read_state(value: str) -> State:
    try:
        return State(value)
    except ValueError:
        raise InvalidInput(
            f"state must be one of {', '.join(State)} (got {value!r}).", "pass one of these states"
        ) from None


def read_moment(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise InvalidOption(
            f"A time must have a date and a time zone (got {text!r}).", "write it as 2030-01-31T09:00:00Z"
        )
    return found


def read_moment_or_span(text: str) -> datetime | timedelta:
    return read_moment(text) if "T" in text else parse_duration(text)
