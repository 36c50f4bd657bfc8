"""The nine scenarios, and the conditions whose best static limit is known."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bench.flow.conditions import SLOTS, Conditions

TWO_REPLICAS = Conditions()
BUDGET = 60.0 * 0.6 * 2 * SLOTS / 13.6 * 640.0  # units per minute: some 60 % of what two replicas can do
CLIFF = Conditions(room=SLOTS + 1, hang=0.5)
BATCHING = Conditions(is_batching=True, room=10)
ONE_SLOT = Conditions(replicas=1, slots=1, room=2)
ERRORS = Conditions(errors=0.15)

Change = tuple[float, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Phase:
    """From when to when which of the known conditions holds."""

    begins: float
    ends: float
    known: str


@dataclass(frozen=True, slots=True)
class Scenario:
    name: str
    seconds: float
    conditions: Conditions
    phases: tuple[Phase, ...]
    changes: tuple[Change, ...] = ()
    back_at: float | None = None  # the end of an outage
    poison: int = 0  # jobs at the head of the queue that always fail


def bursts(seconds: float) -> tuple[Change, ...]:
    """Every five minutes half of the calls fail for 20 s."""
    starts = range(150, int(seconds), 300)
    return tuple(change for start in starts for change in _burst(float(start)))


def _burst(start: float) -> tuple[Change, Change]:
    return (start, {"burst": 0.5}), (start + 20.0, {"burst": 0.0})


KNOWN: Mapping[str, tuple[Conditions, bool]] = {
    "one replica": (replace(TWO_REPLICAS, replicas=1), False),
    "two replicas": (TWO_REPLICAS, False),
    "four replicas": (replace(TWO_REPLICAS, replicas=4), False),
    "budget": (replace(TWO_REPLICAS, units_per_minute=BUDGET), False),
    "cliff": (CLIFF, False),
    "batching": (BATCHING, False),
    "bursts": (TWO_REPLICAS, True),
    "half speed": (replace(TWO_REPLICAS, speed=0.5), False),
    "one slot": (ONE_SLOT, False),
    "15 % errors": (ERRORS, False),
}
"""Each with whether error bursts come on top."""

SCENARIOS = (
    Scenario("steady", 2400.0, TWO_REPLICAS, (Phase(0, 2400, "two replicas"),)),
    Scenario(
        "scale",
        2400.0,
        TWO_REPLICAS,
        (
            Phase(0, 600, "two replicas"),
            Phase(600, 1200, "four replicas"),
            Phase(1200, 1800, "one replica"),
            Phase(1800, 2400, "two replicas"),
        ),
        ((600, {"replicas": 4}), (1200, {"replicas": 1}), (1800, {"replicas": 2})),
    ),
    Scenario(
        "outage",
        1500.0,
        TWO_REPLICAS,
        (Phase(0, 600, "two replicas"), Phase(690, 720, "one replica"), Phase(720, 1500, "two replicas")),
        ((600, {"is_down": True}), (690, {"is_down": False, "replicas": 1}), (720, {"replicas": 2})),
        back_at=690.0,
    ),
    Scenario(
        "429",
        1800.0,
        TWO_REPLICAS,
        (Phase(0, 300, "two replicas"), Phase(300, 1500, "budget"), Phase(1500, 1800, "two replicas")),
        ((300, {"units_per_minute": BUDGET}), (1500, {"units_per_minute": 0.0})),
    ),
    Scenario("cliff", 2400.0, CLIFF, (Phase(0, 2400, "cliff"),)),
    Scenario("batch", 2400.0, BATCHING, (Phase(0, 2400, "batching"),)),
    Scenario("bursts", 2400.0, TWO_REPLICAS, (Phase(0, 2400, "bursts"),), bursts(2400)),
    Scenario(
        "slower",
        2400.0,
        TWO_REPLICAS,
        (Phase(0, 900, "two replicas"), Phase(900, 1800, "half speed"), Phase(1800, 2400, "two replicas")),
        ((900, {"speed": 0.5}), (1800, {"speed": 1.0})),
    ),
    Scenario(
        "day",
        3600.0,
        TWO_REPLICAS,
        (
            Phase(0, 600, "two replicas"),
            Phase(600, 1200, "four replicas"),
            Phase(1290, 1800, "two replicas"),
            Phase(1800, 2400, "budget"),
            Phase(2400, 3000, "one replica"),
            Phase(3000, 3600, "two replicas"),
        ),
        (
            (600, {"replicas": 4}),
            (1200, {"is_down": True}),
            (1290, {"is_down": False, "replicas": 2}),
            (1800, {"units_per_minute": BUDGET}),
            (2400, {"units_per_minute": 0.0, "replicas": 1}),
            (3000, {"replicas": 2}),
        ),
        back_at=1290.0,
    ),
)

WEAK_SPOTS = (
    Scenario("one slot", 2400.0, ONE_SLOT, (Phase(0, 2400, "one slot"),)),
    Scenario("15 % errors", 2400.0, ERRORS, (Phase(0, 2400, "15 % errors"),)),
)
"""Hard for any controller; not among the nine."""

LONG_OUTAGE = Scenario(
    "300 s outage",
    1800.0,
    replace(TWO_REPLICAS, hang_when_down=0.0),
    (),
    ((600, {"is_down": True}), (900, {"is_down": False})),
)
