"""Whether what was measured over a while has a slope."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import linear_regression, mean

from holdfast.cli.chaos.gauges import Sample
from holdfast.cli.output import write
from holdfast.cli.render import print_table

STEADY = ("memory", "descriptors", "tables", "indexes", "dead_tuples")
# Of the mean over the whole time. A leak goes on; the noise of caches, pools and vacuum does not get there.
TOLERATED = {"memory": 0.1, "descriptors": 0.1}
SLOWER = 3.0  # times the first pick-up, and then more than that many seconds
NOTICEABLE = 0.25


@dataclass(frozen=True, slots=True)
class Slope:
    name: str
    first: float
    last: float
    per_hour: float
    growth: float  # over the whole time, as a part of the mean

    @property
    def is_leak(self) -> bool:
        return self.growth > TOLERATED.get(self.name, float("inf"))


def report_slopes(samples: Sequence[Sample], first_p99: float, last_p99: float) -> bool:
    """Prints them; true if nothing leaks and claims are as quick as at first."""
    slopes = [slope_of(name, samples) for name in STEADY]
    print_table(
        ("what", "first tenth", "last tenth", "per hour", "verdict"),
        (
            (
                one.name,
                f"{one.first:.0f}",
                f"{one.last:.0f}",
                f"{one.per_hour:+.0f}",
                "grows" if one.is_leak else "",
            )
            for one in slopes
        ),
        keep=("what",),
    )
    begin, end = samples[0], samples[-1]
    jobs = max(1, end.jobs - begin.jobs)
    wal, history = (end.wal - begin.wal) / jobs, (end.history - begin.history) / jobs
    write(f"{jobs} jobs; WAL {wal:.0f} and history {history:.0f} bytes per job")
    write(f"pick-up p99: first tenth {1000 * first_p99:.1f} ms, last tenth {1000 * last_p99:.1f} ms")
    is_slower = last_p99 > NOTICEABLE and last_p99 > SLOWER * first_p99
    return not is_slower and not any(one.is_leak for one in slopes)


def slope_of(name: str, samples: Sequence[Sample]) -> Slope:
    times = [one.at for one in samples]
    values = [float(getattr(one, name)) for one in samples]
    tenth = max(1, len(samples) // 10)
    slope = linear_regression(times, values).slope
    growth = slope * (times[-1] - times[0]) / max(1.0, mean(values))
    return Slope(name, mean(values[:tenth]), mean(values[-tenth:]), 3600 * slope, growth)
