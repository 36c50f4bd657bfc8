"""How many there were at once, at the worst instant."""

from collections.abc import Iterable
from datetime import datetime

Interval = tuple[datetime, datetime]


def most_at_once(intervals: Iterable[Interval]) -> int:
    """Where one ends as another begins there is one: a worker's turn settles and claims in one statement."""
    steps = sorted(step for begin, end in intervals for step in ((begin, 1), (end, -1)))
    most = now = 0
    for _, change in steps:
        now += change
        most = max(most, now)
    return most
