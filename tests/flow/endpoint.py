"""What the row of an endpoint holds, and what a running job remembers of its start.

Every time is in seconds on one clock, every rate in units per second. None is null in the row.
"""

from dataclasses import InitVar, dataclass, field, fields
from enum import StrEnum

CONFIGURATION = frozenset(
    {"mode", "min_limit", "max_limit", "trip_failures", "trip_quiet", "open_first", "open_max", "static_rate"}
)


class Mode(StrEnum):
    FIXED = "fixed"
    AIMD = "aimd"
    AIMD_SIMPLE = "aimd_simple"
    FLOW = "flow"


class Circuit(StrEnum):
    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


@dataclass(slots=True)
class Endpoint:
    """Configuration, then state. A probe is the circuit's; what tries a higher limit is called a trial."""

    now: InitVar[float]

    # Configuration
    mode: Mode = Mode.FLOW
    min_limit: float = 1.0
    max_limit: float = 64.0
    trip_failures: int = 5  # so many failures in a row …
    trip_quiet: float = 10.0  # … and no good answer for so long: an outage
    open_first: float = 5.0  # how long the circuit is open at first,
    open_max: float = 20.0  # and at most, after failed probes
    static_rate: float | None = None  # the rate never goes above it and is never off

    # Limit
    limit: float = field(init=False)
    in_flight: int = 0
    before: float = field(init=False)  # the limit before the first cut of a series
    slow_start_until: float = field(init=False)  # below it the limit grows fast
    last_cut: float = field(init=False)
    evidence: float = 0.0  # of overload: failures add, successes take off
    ceiling: float | None = None  # the level at which errors appeared
    ceiling_until: float = field(init=False)
    ceiling_k: int = 0  # steps above the ceiling that failed, at most 4
    successes: int = 0  # aimd: of the window; aimd_simple: since the last change
    errors: int = 0  # aimd: of the window; aimd_simple: in a row, since the last change

    # Latency
    by_units: bool | None = None  # latency is taken per unit; None until the first success
    samples: int = 0
    recent: float | None = None  # short mean of y
    base: float | None = None  # y without load
    tolerance: float = 1.2  # the slow-down that is accepted
    slow_limit: float | None = None  # the limit when it became too slow
    slow_s: float | None = None  # the slow-down then
    dip_after: float = 600.0  # seconds without a cut until the next dip

    # Trial
    next_trial: float = field(init=False)
    trial_since: float | None = None  # None: no trial is on
    trial_base: float | None = None  # the limit to go back to
    trial_y: float | None = None  # `recent` when it began
    trial_n: int = 0
    trial_sum: float = 0.0
    trial_k: int = 0  # trials without gain in a row, at most 4

    # Circuit
    circuit: Circuit = Circuit.CLOSED
    open_until: float = field(init=False)
    open_for: float = field(init=False)  # length of the present or the next opening, before jitter
    probes: int = 0  # probes that are out
    last_probe: float = field(init=False)
    streak: int = 0  # failures in a row
    last_ok: float = field(init=False)  # the last good answer
    blocked_until: float = field(init=False)

    # Rate
    rate: float | None = field(init=False)  # None: off
    peak: float = field(init=False)
    rate_clock: float = field(init=False)  # when all that was admitted will have been delivered
    last_rate_cut: float | None = None
    delivered_sum: float = 0.0  # decayed sum of units
    delivered_at: float = field(init=False)
    delivered_since: float | None = None  # the first delivery

    def __post_init__(self, now: float) -> None:
        """A new row: what depends on the clock and on the configuration."""
        self.limit = self.max_limit if self.mode is Mode.FIXED else clamp(self, 2.0)
        self.before = self.limit
        self.slow_start_until = self.max_limit
        self.last_cut = now - 61.0
        self.next_trial = now + 60.0
        self.open_for = self.open_first
        self.rate = self.static_rate
        self.peak = self.static_rate or 0.0
        self.ceiling_until = self.open_until = self.last_probe = now
        self.last_ok = self.blocked_until = self.rate_clock = self.delivered_at = now


@dataclass(frozen=True, slots=True)
class Call:
    """What a job remembers of its start."""

    started_at: float
    in_flight_at_start: int  # itself included
    is_probe: bool
    estimate: float | None = None
    tries: int = 1  # this one included
    last_try: float | None = None  # when the try before this one ended


def state(endpoint: Endpoint) -> dict[str, float | int | str | bool | None]:
    """Every column that an event may change, by name."""
    names = (column.name for column in fields(endpoint))
    return {name: _plain(getattr(endpoint, name)) for name in names if name not in CONFIGURATION}


def _plain(value: float | int | str | bool | None) -> float | int | str | bool | None:
    return value.value if isinstance(value, StrEnum) else value


def jitter(u: float) -> float:
    """±20 %."""
    return 0.8 + 0.4 * u


def clamp(endpoint: Endpoint, limit: float) -> float:
    return min(endpoint.max_limit, max(endpoint.min_limit, limit))
