"""Which of the measured values grow."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from statistics import linear_regression, mean

from chaos.output import table
from chaos.soak.samples import Sample

# What is measured, its title, and how much it may grow over the whole time, as a fraction of its mean: a leak
# exceeds that, the noise of caches and pools does not. Dead tuples come and go with each vacuum.
STEADY: Mapping[str, tuple[str, float]] = {
    "memory": ("memory of a worker, bytes", 0.03),
    "server_memory": ("memory of its backend, bytes", 0.1),
    "descriptors": ("descriptors of a worker", 0.05),
    "claim": ("claim p99, ms", 0.25),
    "pick_up": ("pick-up p99, ms", 0.25),
    "tables": ("tables, bytes", 0.25),
    "indexes": ("indexes, bytes", 0.25),
    "dead_tuples": ("dead tuples", inf),
}


@dataclass(frozen=True, slots=True)
class Slope:
    name: str
    first: float
    last: float
    per_hour: float
    growth: float  # over the whole time, as a part of the mean

    @property
    def grows(self) -> bool:
        return self.growth > STEADY[self.name][1]


def slopes_of(samples: Sequence[Sample]) -> list[Slope]:
    return [_slope(name, samples) for name in STEADY]


def lines_of(samples: Sequence[Sample], slopes: Sequence[Slope]) -> Iterator[str]:
    titles = ("what", "first tenth", "last tenth", "per hour", "verdict")
    yield from table(titles, map(_row, slopes))
    begin, end = samples[0], samples[-1]
    jobs = max(1, end.jobs - begin.jobs)
    wal, history = (end.wal - begin.wal) / jobs, (end.history - begin.history) / jobs
    yield f"{jobs} jobs; WAL {wal:.0f} and history {history:.0f} bytes per job"


def standstills(samples: Sequence[Sample]) -> list[float]:
    """When no job had ended since the sample before: an idle system does not grow."""
    return [one.at for one in samples if one.pick_up == 0]


def _row(slope: Slope) -> tuple[str, ...]:
    title, tolerated = STEADY[slope.name]
    verdict = "grows" if slope.grows else "no slope" if tolerated < inf else ""
    return (title, f"{slope.first:.0f}", f"{slope.last:.0f}", f"{slope.per_hour:+.0f}", verdict)


def _slope(name: str, samples: Sequence[Sample]) -> Slope:
    times = [one.at for one in samples]
    values = [float(getattr(one, name)) for one in samples]
    tenth = max(1, len(samples) // 10)
    slope = linear_regression(times, values).slope
    growth = slope * (times[-1] - times[0]) / max(1.0, mean(values))
    return Slope(name, mean(values[:tenth]), mean(values[-tenth:]), 3600 * slope, growth)
