"""The period of a report, cut into slices of a round length."""

from datetime import datetime, timedelta

from holdfast.model.duration import Duration, exact, parse_duration
from holdfast.model.error import InvalidOption
from holdfast.model.report import LONGEST_PERIOD, Period

MOST_SLICES = 60
SHORTEST = timedelta(minutes=1)
STEPS = tuple(
    timedelta(minutes=n) for n in (1, 2, 3, 5, 6, 10, 12, 15, 20, 30, 60, 120, 180, 240, 360, 720, 1440)
)


def choose_period(since: Duration, now: datetime) -> Period:
    """Counts are by the minute, so it ends with the current minute. Longer than asked by part of a slice at
    most, so that all slices are of one length.
    """
    asked = parse_duration(since)
    if not SHORTEST <= asked <= LONGEST_PERIOD:
        raise InvalidOption(
            f"The period of a report must be between 1 min and {exact(LONGEST_PERIOD)} (got {exact(asked)}).",
            "write it as --since 24h",
        )
    step = next((one for one in STEPS if one * MOST_SLICES >= asked), STEPS[-1])
    slices = -(-asked // step)
    until = now.replace(second=0, microsecond=0) + timedelta(minutes=1)
    length = min(step * slices, LONGEST_PERIOD)
    return Period(until - length, until, length, length / slices, slices)
