"""The depth of a queue over time: a chart with its table, from the samples of each minute."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from holdfast.model.depth import DepthSample
from holdfast.model.report import Period
from holdfast.report.charts.time_chart import Series, TimeChart, legend, time_chart
from holdfast.report.local_time import FROM, local_clock
from holdfast.report.markup import Markup, joined
from holdfast.report.panel import body
from holdfast.report.table import chart_table
from holdfast.report.words import NONE, clock, count, duration

STATES = ("ready", "running", "scheduled", "waiting")
COLOURS = {"ready": "ready", "running": "running", "scheduled": "scheduled", "waiting": "quiet"}


@dataclass(frozen=True, slots=True)
class Depth:
    """The most jobs that one sample of a slice counted, by state, and the age of its oldest ready job."""

    waiting: int
    scheduled: int
    ready: int
    running: int
    oldest: timedelta | None

    def of(self, state: str) -> int:
        found: int = getattr(self, state)
        return found


EMPTY = Depth(0, 0, 0, 0, None)


def depth_chart(period: Period, samples: Sequence[DepthSample]) -> Markup | None:
    """None without a sample."""
    found = by_slice(period, samples)
    if not any(found):
        return None
    lines = [
        Series(state.capitalize(), COLOURS[state], [None if one is None else one.of(state) for one in found])
        for state in STATES
        if state == "ready" or any(one and one.of(state) for one in found)
    ]
    times = [period.since + number * period.slice for number in range(period.slices)]
    chart = time_chart(
        TimeChart(
            "depth-chart",
            "Jobs in the queue over time",
            f"At most {count(max(one.ready for one in found if one))} jobs were ready at once.",
            period.since,
            period.until,
            lines=lines,
            hints=[
                f"{clock(at, period.length)} UTC: {_sentence(one)}"
                for at, one in zip(times, found, strict=True)
            ],
        )
    )
    headings = (FROM, *(state.capitalize() for state in STATES), "Oldest ready")
    rows = [_row(local_clock(at, period.length), one) for at, one in zip(times, found, strict=True) if one]
    table = chart_table(headings, rows[::-1], "Jobs in the queue, newest first")
    return joined(body(legend((), lines), chart), table)


def by_slice(period: Period, samples: Sequence[DepthSample]) -> list[Depth | None]:
    """None where it is not known. A queue that became empty has one sample of that, and none until it has
    jobs again.
    """
    slices: list[list[DepthSample]] = [[] for _ in range(period.slices)]
    for sample in samples:
        place = (sample.minute - period.since) // period.slice
        if 0 <= place < period.slices:
            slices[place].append(sample)
    found: list[Depth | None] = []
    was_empty = False
    for one in slices:
        found.append(_highest(one) if one else EMPTY if was_empty else None)
        was_empty = _is_empty(one[-1]) if one else was_empty
    return found


def _highest(samples: Sequence[DepthSample]) -> Depth:
    ages = [one.oldest_age for one in samples if one.oldest_age is not None]
    most = {state: max(getattr(one, state) for one in samples) for state in STATES}
    return Depth(**most, oldest=max(ages, default=None))


def _is_empty(sample: DepthSample) -> bool:
    return not any(getattr(sample, state) for state in STATES)


def _sentence(depth: Depth | None) -> str:
    if depth is None:
        return "not counted"
    return ", ".join(f"{depth.of(state):,} {state}" for state in STATES)


def _row(at: str, depth: Depth) -> Sequence[str]:
    return (
        at,
        *(count(depth.of(state)) for state in STATES),
        duration(depth.oldest) if depth.oldest else NONE,
    )
