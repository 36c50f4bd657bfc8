"""An endpoint as a reader sees it: a downstream service that jobs call, with its limits and health."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


class Circuit(StrEnum):
    """`held_open`: an operator stopped all calls. `half_open`: single calls test whether it works again."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"
    HELD_OPEN = "held_open"


class Mode(StrEnum):
    """How the limit of concurrent calls is found."""

    FLOW = "flow"
    FIXED = "fixed"
    AIMD = "aimd"
    AIMD_SIMPLE = "aimd_simple"


@dataclass(frozen=True, slots=True)
class EndpointSummary:
    """The fields are the columns of endpoint_view, in their order."""

    name: str
    mode: Mode
    circuit: Circuit
    limit: int
    in_flight: int
    min: float
    max: float
    requests_per_minute: int | None
    units_per_minute: float | None
    budget_per_day: float | None
    price: float
    estimate: float | None
    shares: dict[str, float]
    static_rate: float | None
    units_per_minute_now: float | None
    spent_today: float
    reserved: float
    blocked_until: datetime | None
    open_until: datetime | None
    streak: int
    starts: int
    last_ok: datetime
    last_cut: datetime
    tolerance: float
    slowdown: float | None
    fallback: str | None
    pause: float  # seconds


@dataclass(frozen=True, slots=True)
class EndpointState:
    """What a worker may know of an endpoint. `open_until`: no call starts before, if the circuit is open."""

    name: str
    circuit: Circuit
    limit: int
    open_until: datetime | None


@dataclass(frozen=True, slots=True)
class EndpointBacklog:
    """The ready jobs of a queue that call an endpoint. `is_more`: there are more than were counted."""

    endpoint: str
    queue: str
    ready: int
    is_more: bool
    is_paused: bool


@dataclass(frozen=True, slots=True)
class EndpointSecond:
    """The calls of an endpoint in one second, and its limit and circuit at the end of it."""

    at: datetime
    started: int
    ok: int
    failed: int
    limited: int
    other: int
    units: float
    mean: timedelta | None
    limit: int
    in_flight: int
    circuit: Circuit
    units_per_minute_now: float | None
