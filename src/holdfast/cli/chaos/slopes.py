"""Whether what was measured over a while has a slope."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import linear_regression, mean

from holdfast.cli.chaos.gauges import Sample
from holdfast.cli.render import table_lines

WIDE = 200
STEADY = ("memory", "descriptors", "pick_up", "tables", "indexes", "dead_tuples")
# Of the mean over the whole time. A leak goes on; the noise of caches, pools and vacuum does not get there.
TOLERATED = {"memory": 0.1, "descriptors": 0.1, "pick_up": 0.5}
TITLES = {"memory": "memory, bytes", "pick_up": "pick-up p99, ms", "dead_tuples": "dead tuples"}


@dataclass(frozen=True, slots=True)
class Slope:
    name: str
    first: float
    last: float
    per_hour: float
    growth: float  # over the whole time, as a part of the mean

    @property
    def grows(self) -> bool:
        return self.growth > TOLERATED.get(self.name, float("inf"))


def slopes_of(samples: Sequence[Sample]) -> list[Slope]:
    return [_slope(name, samples) for name in STEADY]


def lines_of(samples: Sequence[Sample], slopes: Sequence[Slope]) -> Iterator[str]:
    titles = ("what", "first tenth", "last tenth", "per hour", "verdict")
    for line in table_lines(titles, map(_row, slopes), ("what",), WIDE):
        yield line.plain.rstrip()
    begin, end = samples[0], samples[-1]
    jobs = max(1, end.jobs - begin.jobs)
    wal, history = (end.wal - begin.wal) / jobs, (end.history - begin.history) / jobs
    yield f"{jobs} jobs; WAL {wal:.0f} and history {history:.0f} bytes per job"


def _row(slope: Slope) -> tuple[str, ...]:
    verdict = "" if slope.name not in TOLERATED else "grows" if slope.grows else "no slope"
    return (
        TITLES.get(slope.name, slope.name),
        f"{slope.first:.0f}",
        f"{slope.last:.0f}",
        f"{slope.per_hour:+.0f}",
        verdict,
    )


def _slope(name: str, samples: Sequence[Sample]) -> Slope:
    times = [one.at for one in samples]
    values = [float(getattr(one, name)) for one in samples]
    tenth = max(1, len(samples) // 10)
    slope = linear_regression(times, values).slope
    growth = slope * (times[-1] - times[0]) / max(1.0, mean(values))
    return Slope(name, mean(values[:tenth]), mean(values[-tenth:]), 3600 * slope, growth)
