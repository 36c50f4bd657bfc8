"""The bars: what our controller must reach, as a mean over 1, 3 and 10 worker processes and all seeds."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bench.flow.measure import Figures

GOODPUT = {
    "steady": 90.0,
    "scale": 86.0,
    "outage": 85.0,
    "429": 88.0,
    "cliff": 83.0,
    "batch": 86.0,
    "bursts": 89.0,
    "slower": 86.0,
    "day": 87.0,
}
WASTED = {
    "steady": 5.0,
    "scale": 7.5,
    "outage": 8.0,
    "429": 11.0,
    "cliff": 11.0,
    "batch": 7.5,
    "bursts": 9.0,
    "slower": 6.0,
    "day": 8.5,
}
OVER_AIMD = {
    "steady": 2.0,
    "scale": 15.0,
    "outage": 12.0,
    "429": 20.0,
    "batch": 22.0,
    "bursts": 25.0,
    "day": 18.0,
}
WEAK_SPOTS = {"one slot": 81.0, "15 % errors": 81.0}
RECOVERY = {"outage": 75.0, "day": 45.0}
MEAN_GOODPUT = 88.5

Means = Mapping[tuple[str, str], Figures]  # by controller and scenario


@dataclass(frozen=True, slots=True)
class Bar:
    what: str
    value: float
    bar: float
    is_least: bool  # the bar is the least that is good enough, not the most

    @property
    def is_met(self) -> bool:
        return self.value >= self.bar if self.is_least else self.value <= self.bar


def bars(means: Means, dead_in_outage: Mapping[int, int]) -> Iterator[Bar]:
    """`dead_in_outage`: jobs that a long outage killed, by the number of worker processes."""
    for scenario, least in GOODPUT.items():
        flow = means["flow", scenario]
        yield Bar(f"{scenario}: goodput, % of the oracle", flow.goodput, least, is_least=True)
        yield Bar(f"{scenario}: wasted calls, %", flow.wasted, WASTED[scenario], is_least=False)
        if ("aimd", scenario) in means and scenario in OVER_AIMD:
            gain = flow.goodput - means["aimd", scenario].goodput
            yield Bar(f"{scenario}: points over aimd", gain, OVER_AIMD[scenario], is_least=True)
        if flow.recovery is not None:
            yield Bar(f"{scenario}: recovery, s", flow.recovery, RECOVERY[scenario], is_least=False)
    for scenario, least in WEAK_SPOTS.items():
        if ("flow", scenario) in means:
            goodput = means["flow", scenario].goodput
            yield Bar(f"{scenario}: goodput, % of the oracle", goodput, least, is_least=True)
    mean = sum(means["flow", scenario].goodput for scenario in GOODPUT) / len(GOODPUT)
    yield Bar("mean goodput, % of the oracle", mean, MEAN_GOODPUT, is_least=True)
    for workers, dead in dead_in_outage.items():
        yield Bar(f"300 s outage, 3 attempts, {workers} processes: dead jobs", dead, 0.0, is_least=False)
