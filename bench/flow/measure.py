"""What a run is judged by: goodput against the oracle, wasted calls, recovery after an outage, dead jobs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from bench.flow.best import Best
from bench.flow.controller import Controller
from bench.flow.scenarios import Scenario
from bench.flow.simulation import POLL, Record, Simulation

RECOVERED_SLOTS = 0.8 * 8  # of the eight that two replicas have
RECOVERED_FOR = 20.0
NEVER = 999.0


@dataclass(frozen=True, slots=True)
class Figures:
    goodput: float  # % of what the best static limit of each phase would have done
    wasted: float  # % of the calls
    recovery: float | None  # seconds, where there was an outage
    dead: float


def measure(
    scenario: Scenario, controller: Controller, workers: int, seed: int, best: Mapping[str, Best]
) -> Figures:
    record = Simulation(scenario, controller, workers, seed).run()
    possible = sum((p.ends - p.begins) * best[p.known].units_per_second for p in scenario.phases)
    return Figures(
        goodput=100.0 * record.units / possible,
        wasted=100.0 * record.failed / max(1, record.calls),
        recovery=None if scenario.back_at is None else recovery(record, scenario.back_at),
        dead=record.dead,
    )


def recovery(record: Record, back_at: float) -> float:
    """Seconds from the end of the outage until 20 s began in which 80 % of the slots did useful work."""
    first, window = round(back_at / POLL), round(RECOVERED_FOR / POLL)
    sums = [0.0, *accumulate(record.useful_slots[first:])]
    for begin in range(len(sums) - window):
        if sums[begin + window] - sums[begin] >= RECOVERED_SLOTS * window:
            return begin * POLL
    return NEVER


def mean(figures: Sequence[Figures]) -> Figures:
    recoveries = [f.recovery for f in figures if f.recovery is not None]
    return Figures(
        goodput=_mean([f.goodput for f in figures]),
        wasted=_mean([f.wasted for f in figures]),
        recovery=_mean(recoveries) if recoveries else None,
        dead=_mean([f.dead for f in figures]),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
