"""Samples of depths by minute, as lines. A queue that became empty has no further samples: it stays empty."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from holdfast.model.depth import DepthSample
from holdfast.report.charts.sparkline import MOST_POINTS, sparkline
from holdfast.report.markup import Markup

# The samples of a queue, one for each minute; None before its first one.
Line = Sequence[DepthSample | None]


def by_minute(samples: Iterable[DepthSample]) -> dict[str, Line]:
    """Of each queue, over the minutes that any queue has."""
    found: defaultdict[str, dict[datetime, DepthSample]] = defaultdict(dict)
    minutes = set()
    for sample in samples:
        found[sample.queue][sample.minute] = sample
        minutes.add(sample.minute)
    return {queue: _carried(known, sorted(minutes)) for queue, known in found.items()}


def _carried(known: Mapping[datetime, DepthSample], minutes: Sequence[datetime]) -> Line:
    line: list[DepthSample | None] = []
    for minute in minutes:
        line.append(known.get(minute, line[-1] if line else None))
    return line


def depths(lines: Iterable[Line], state: str) -> list[int]:
    """The jobs in a state, of all these queues together."""
    minutes = zip(*lines, strict=True)
    return [sum(0 if one is None else getattr(one, state) for one in minute) for minute in minutes]


def drawn(values: Sequence[int], colour: str) -> Markup:
    """Every second or third minute if there are many, the newest one among them: a depth is no sum."""
    step = max(1, -(-len(values) // MOST_POINTS))
    return sparkline(values[::-1][::step][::-1], colour)


def late_since(line: Line, late: timedelta) -> datetime | None:
    """Since when, or before, the oldest ready job is this late without a break, as far as samples go."""
    since = None
    for sample in reversed(line):
        if sample is None or (sample.oldest_age or timedelta(0)) <= late:
            return since
        since = sample.minute
    return since
