"""How long to wait before trying again."""

import random
from datetime import timedelta

FIRST = timedelta(milliseconds=100)
LONGEST = timedelta(seconds=5)


def pause_after(failures: int, longest: timedelta = LONGEST) -> float:
    """Seconds; doubles up to the longest, with jitter: a thousand workers must not come back at once."""
    doubled = FIRST.total_seconds() * 2.0 ** min(failures - 1, 16)
    return min(longest.total_seconds(), doubled) * random.uniform(0.5, 1.0)
