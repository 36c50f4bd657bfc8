"""Backoff before the next try."""

import random
from datetime import timedelta

FIRST = timedelta(milliseconds=100)
LONGEST = timedelta(seconds=5)


def backoff(failures: int, longest: timedelta = LONGEST) -> float:
    """Seconds; doubles up to a maximum, with jitter, so that a thousand workers do not retry at once."""
    doubled = FIRST.total_seconds() * 2.0 ** min(failures - 1, 16)
    return min(longest.total_seconds(), doubled) * random.uniform(0.5, 1.0)
