"""The options of an enqueue, besides task and payload."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, TypedDict
from uuid import UUID

from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import InvalidOption, InvalidPayload
from holdfast.model.payload import encode
from holdfast.model.retry import RetryPolicy

RetryRule = RetryPolicy | str | Mapping[str, Any] | Iterable[Duration]


@dataclass(frozen=True, slots=True)
class Stagger:
    """`chunk` jobs start at once, the next `chunk` jobs `every` later, and so on."""

    every: timedelta
    chunk: int


class GivenOptions(TypedDict, total=False):
    """The options as a caller writes them; None means not given."""

    queue: str | None
    priority: int | None
    delay: Duration | None
    run_at: datetime | None
    unique_key: str | None
    unique_for: Duration | None
    unique_scope: str | None
    order_key: str | None
    run: Any
    labels: Mapping[str, Any] | None
    timeout: Duration | None
    deadline: datetime | None
    group: str | None
    endpoint: str | None
    max_failures: int | None
    retry: RetryRule | None
    pipeline: str | None
    estimate: float | None
    stagger: tuple[Duration, int] | None
    origin: str | None
    actor: str | None
    trace: str | Mapping[str, str] | None


# In the form of the SQL verb, but for stagger, which a bulk enqueue handles itself.
Wire = Mapping[str, Any]
NONE: Wire = {}


def with_options(before: Wire, given: GivenOptions) -> Wire:
    """The options `before`, with the given ones replaced. Looks only at what is given.

    An error has the path of its option, as if all stood in one JSON document.
    """
    wire = dict(before)
    for name, value in given.items():
        parse = _PARSERS.get(name)
        if parse is None:
            raise InvalidOption(f"Jobs have no option {name}.", f"the options are {', '.join(_PARSERS)}")
        if value is not None:
            try:
                wire[name] = parse(name, value)
            except InvalidOption as exc:
                exc.path = f"$.{name}"
                raise
    _check(wire)
    return wire


def job_options(before: Wire, given: Wire) -> Wire:
    """The options of a single job: those `before`, with the given ones replaced."""
    joined = {**before, **given}
    joined.pop("stagger", None)
    return joined


def split_options(jobs: Sequence[Wire]) -> tuple[Wire, dict[str, list[Any]]]:
    """The options that all of these jobs share, and a column for each option that varies."""
    first = jobs[0]
    if all(one is first for one in jobs):
        return first, {}
    common: dict[str, Any] = {}
    varying: dict[str, list[Any]] = {}
    for name in set().union(*jobs):
        column = [one.get(name) for one in jobs]
        if column.count(column[0]) == len(column) and (name != "labels" or _are_same_json(column)):
            common[name] = column[0]
        else:
            varying[name] = column
    return common, varying


def _are_same_json(column: list[Any]) -> bool:
    """Python holds True, 1 and 1.0 for equal; in JSON they are three values."""
    first = column[0]
    return all(one is first for one in column) or len(set(map(json.dumps, column))) == 1


def _check(wire: Wire) -> None:
    if "run_at" in wire and "delay" in wire:
        raise InvalidOption("delay and run_at cannot be combined.", "remove one of them", "$.run_at")
    if "run_at" in wire and "stagger" in wire:
        raise InvalidOption(
            "stagger and run_at cannot be combined.",
            "to start the first jobs later, use delay instead of run_at",
            "$.run_at",
        )
    if "unique_key" not in wire and ("unique_for" in wire or "unique_scope" in wire):
        raise InvalidOption(
            "unique_for and unique_scope need a unique_key.",
            "add a unique_key, or remove unique_for and unique_scope",
            "$.unique_for" if "unique_for" in wire else "$.unique_scope",
        )


def _duration(name: str, value: Any) -> float:
    return parse_duration(value).total_seconds()


def _moment(name: str, value: Any) -> str:
    if not isinstance(value, datetime):
        raise InvalidOption(
            f"{name} must be a datetime (got {value!r}).",
            "pass a datetime with a time zone, such as datetime.now(UTC)",
        )
    if value.utcoffset() is None:
        raise InvalidOption(
            f"{name} must have a time zone (got {value.isoformat()}).",
            "pass a datetime with a time zone, such as datetime.now(UTC) + timedelta(hours=1)",
        )
    return value.isoformat()


def _integer(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidOption(f"{name} must be an integer (got {value!r}).")
    if not -(2**31) <= value < 2**31:
        raise InvalidOption(f"{name} must be an integer of at most 32 bits (got {value!r}).")
    return value


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise InvalidOption(f"{name} must be a non-empty string (got {value!r}).")
    return value


def _estimate(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e15:
        raise InvalidOption(
            f"estimate must be a number (got {value!r}).",
            "pass the units, such as tokens, that one attempt will probably use",
        )
    return float(value)


def _unique_for(name: str, value: Any) -> float | str:
    return str(value) if value in ("live", "forever") else parse_duration(value).total_seconds()


def _run_id(name: str, value: Any) -> str:
    """The id of a started Run, or the id itself."""
    found = getattr(value, "id", value)
    try:
        return _id_text(found if isinstance(found, UUID) else UUID(str(found)))
    except ValueError:
        raise InvalidOption(
            f"run must be a Run or the id of a run (got {value!r}).", "pass a Run, or the id of a run"
        ) from None


# A bulk names the same run for each of its jobs.
@lru_cache(maxsize=100)
def _id_text(run_id: UUID) -> str:
    return str(run_id)


def _labels(name: str, value: Any) -> Mapping[str, Any]:
    try:
        encode(value)
    except InvalidPayload as exc:
        raise InvalidOption(f"labels cannot be stored: {exc.message}") from None
    if not isinstance(value, dict):
        raise InvalidOption(f"labels must be a dict with string keys (got {value!r}).")
    return dict(value)


def _retry(name: str, value: Any) -> Any:
    return RetryPolicy.parse(value).to_json()


def _trace(name: str, value: Any) -> Any:
    """The database checks what it says."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping) and all(isinstance(part, str) for part in value.values()):
        return dict(value)
    raise InvalidOption(
        f"trace must be a W3C traceparent, or a dict with traceparent and tracestate (got {value!r}).",
        "pass the header 'traceparent' of a request, or what a propagator of OpenTelemetry injects",
    )


def _stagger(name: str, value: Any) -> Stagger:
    try:
        every, chunk = value
    except (TypeError, ValueError):
        raise InvalidOption(
            f"stagger must be a pair of a duration and a number of jobs (got {value!r}).",
            'pass a pair such as ("30s", 100): 100 jobs every 30 seconds',
        ) from None
    if _integer("the stagger's chunk", chunk) < 1:
        raise InvalidOption(
            f"In stagger, the number of jobs must be at least 1 (got {chunk}).",
            'pass a pair such as ("30s", 100): 100 jobs every 30 seconds',
        )
    return Stagger(parse_duration(every), chunk)


_PARSERS: dict[str, Callable[[str, Any], Any]] = {
    "queue": _text,
    "priority": _integer,
    "delay": _duration,
    "run_at": _moment,
    "unique_key": _text,
    "unique_for": _unique_for,
    "unique_scope": _text,
    "order_key": _text,
    "run": _run_id,
    "labels": _labels,
    "timeout": _duration,
    "deadline": _moment,
    "group": _text,
    "endpoint": _text,
    "max_failures": _integer,
    "retry": _retry,
    "pipeline": _text,
    "estimate": _estimate,
    "stagger": _stagger,
    "origin": _text,
    "actor": _text,
    "trace": _trace,
}
