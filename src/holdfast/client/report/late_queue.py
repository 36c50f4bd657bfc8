"""A queue whose ready jobs do not start: why, and how much harm that does compared with other problems."""

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum

from holdfast.model.endpoint import Circuit, EndpointSummary
from holdfast.model.human_readable import counted
from holdfast.model.overview import LATE, OverviewEndpoint, OverviewQueue
from holdfast.model.report import Problem, Weight
from holdfast.report.words import duration, estimate

MOST = 8
UNSERVED = timedelta(minutes=1)  # a worker that restarts is back before
LONGEST_REASON = 200  # characters


class Kind(IntEnum):
    """Of problems of one weight, the worst first."""

    DEAD = 0
    CIRCUIT = 1
    GROWING = 2
    LATE = 3
    NO_WORKER = 4
    OTHER = 5
    PAUSED = 6  # a person did it, and knows


@dataclass(frozen=True, slots=True)
class Ranked:
    """`harm` compares problems of one kind."""

    problem: Problem
    kind: Kind
    harm: float = 0.0


def worst_first(found: Iterable[Ranked]) -> list[Problem]:
    every = sorted(found, key=lambda one: (one.problem.weight is not Weight.BAD, one.kind, -one.harm))
    return [one.problem for one in every[:MOST]]


def lateness(queue: OverviewQueue, now: datetime) -> Kind | None:
    """Why its ready jobs do not start in time; None if they do."""
    waited = now - queue.oldest if queue.oldest else timedelta(0)
    if queue.paused:
        return Kind.PAUSED if queue.ready else None
    if not queue.is_served:
        return Kind.NO_WORKER if waited > UNSERVED else None
    if waited <= LATE:
        return None
    return Kind.GROWING if queue.grows else Kind.LATE


def late_queue(
    queue: OverviewQueue, now: datetime, endpoints: Mapping[str, OverviewEndpoint]
) -> Ranked | None:
    """`endpoints`: those of which one may be the cause, by name."""
    kind = lateness(queue, now)
    if kind is None:
        return None
    cause = held_up_by(queue, now, endpoints)
    shown = "queues" if cause is None else "endpoints"
    command = f"holdfast {shown} show {shlex.quote(queue.name if cause is None else cause.name)}"
    waited = max(timedelta(0), now - queue.oldest) if queue.oldest else None
    problem = Problem(
        Weight.ATTENTION,
        _title(queue.name, kind),
        _words(queue, waited, cause),
        "queues",
        command,
        queue.name,
        queue.paused_at,
    )
    return Ranked(problem, kind, queue.ready * (waited or timedelta(0)).total_seconds())


def held_up_by(
    queue: OverviewQueue, now: datetime, endpoints: Mapping[str, OverviewEndpoint]
) -> OverviewEndpoint | None:
    """The endpoint because of which a queue is late."""
    endpoint = endpoints.get(queue.endpoint or "")
    is_late = lateness(queue, now) in (Kind.GROWING, Kind.LATE)
    return endpoint if endpoint is not None and is_late and endpoint_cause(endpoint) else None


def limit_of(found: EndpointSummary) -> OverviewEndpoint:
    """How many of the calls that it admits are in flight."""
    return OverviewEndpoint(found.name, found.circuit, found.open_until, found.in_flight, found.limit)


def endpoint_cause(endpoint: OverviewEndpoint) -> str | None:
    """Why calls to it wait, if they do."""
    if endpoint.circuit != Circuit.CLOSED:
        return f"the circuit of its endpoint {endpoint.name} is {endpoint.circuit.replace('_', ' ')}"
    if endpoint.running >= endpoint.limit:
        return f"its endpoint {endpoint.name} is at its limit of {endpoint.limit}"
    return None


def _title(name: str, kind: Kind) -> str:
    match kind:
        case Kind.PAUSED:
            return f"{name} is paused"
        case Kind.NO_WORKER:
            return f"No live worker takes {name}"
        case Kind.GROWING:
            return f"{name} falls behind and grows"
        case _:
            return f"{name} falls behind"


def _words(queue: OverviewQueue, waited: timedelta | None, cause: OverviewEndpoint | None) -> str:
    least = "More than " if "ready" in queue.more_than else ""
    age = "" if waited is None else f", the oldest for {duration(waited)}"
    ready = f"{least}{counted(queue.ready, 'job')} ready{age}."
    if queue.paused:
        return f"{_pause(queue)}{ready}"
    if queue.grows:
        ready += f" {queue.enqueued_per_minute:,.1f} arrive per minute, {queue.per_minute:,.1f} leave."
    elif queue.empty_in is not None:
        ready += f" Empty in about {estimate(queue.empty_in)}."
    limits = ((endpoint_cause(cause) if cause else None), _own_limit(queue))
    words = ", and ".join(filter(None, limits))
    return f"{words[:1].upper()}{words[1:]}. {ready}" if words else ready


def _own_limit(queue: OverviewQueue) -> str | None:
    return f"the queue itself runs at most {queue.max_concurrent:,} at once" if queue.is_full else None


def _pause(queue: OverviewQueue) -> str:
    """By whom and why."""
    by = f"By {queue.paused_by}" if queue.paused_by else ""
    reason = (queue.paused_reason or "")[:LONGEST_REASON].removesuffix(".")
    said = ": ".join(filter(None, (by, reason)))
    return f"{said[:1].upper()}{said[1:]}. " if said else ""
