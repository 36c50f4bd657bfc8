"""Axes: a top that is a round number, ticks at round values and at round times of day."""

import math
from datetime import UTC, datetime, timedelta

TICKS = 4
_TIMES = tuple(
    timedelta(minutes=n) for n in (1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 7200, 10080)
)
_STEPS = (
    5.0,
    10.0,
    15.0,
    30.0,
    60.0,
    120.0,
    300.0,
    600.0,
    900.0,
    1800.0,
    3600.0,
    7200.0,
    21600.0,
    43200.0,
    86400.0,
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def value_ticks(highest: float, is_whole: bool = True) -> list[float]:
    """From zero to a round number that is not below the highest; counts are whole."""
    if highest <= 0:
        return [0.0, 1.0]
    rough = highest / TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(one * power for one in (1, 2, 2.5, 5, 10) if one * power >= rough * 0.999)
    if is_whole:
        step = max(1.0, math.ceil(step))
    return [step * i for i in range(math.ceil(highest / step - 1e-9) + 1)]


def duration_ticks(highest: float) -> list[float]:
    """In seconds, at steps that clocks have: 15 s, 2 min, 6 h."""
    if highest < 10:
        return value_ticks(highest, is_whole=False)
    step = next(
        (one for one in _STEPS if one * TICKS >= highest),
        _STEPS[-1] * math.ceil(highest / _STEPS[-1] / TICKS),
    )
    return [step * i for i in range(math.ceil(highest / step - 1e-9) + 1)]


def time_ticks(since: datetime, until: datetime, most: int = 5) -> list[datetime]:
    """Round times in UTC between the two."""
    step = next((one for one in _TIMES if one * most >= until - since), _TIMES[-1])
    first = -(-(since - _EPOCH) // step)
    last = (until - _EPOCH) // step
    return [_EPOCH + n * step for n in range(first, last + 1)]


def tick_words(at: datetime, since: datetime, until: datetime) -> str:
    shown = at.astimezone(UTC)
    if is_of_days(since, until) or (shown.hour, shown.minute) == (0, 0):
        return f"{shown.day} {shown:%b}"
    return f"{shown:%H:%M}"


def is_of_days(since: datetime, until: datetime) -> bool:
    """Then its ticks are days, else times of day."""
    return until - since > timedelta(days=2)


def share(at: datetime, since: datetime, until: datetime) -> float:
    """Where a time stands between the two, in percent."""
    return 100 * ((at - since) / (until - since))


def log_share(length: timedelta, shortest: float, longest: float) -> float:
    """Where a duration stands on a logarithmic axis from `shortest` to `longest` seconds, in percent."""
    seconds = min(max(length.total_seconds(), shortest), longest)
    return 100 * math.log(seconds / shortest) / math.log(longest / shortest)
