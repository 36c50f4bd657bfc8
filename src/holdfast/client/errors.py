"""Attempts that went wrong, in groups of similar errors."""

from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict, Unpack

from holdfast.client.filters import check_storable, wire
from holdfast.db import stats
from holdfast.db.statement import Executor
from holdfast.model.duration import Duration, parse_duration
from holdfast.model.stats import ErrorPage

SLICES = 30  # as many points as a sparkline has
LOOKED = 100  # of the newest jobs of a group, to say how many of them have ended since


class ErrorFilter(TypedDict, total=False):
    """Which attempts: all that is given must fit. `text` may be in type, message or place of the error.

    `queues` and `tasks`: any of them, as in the scope of an access key.
    """

    queue: str | None
    task: str | None
    stage: str | None
    error_class: str | None
    error_type: str | None
    outcome: str | None
    fingerprint: str | None
    text: str | None
    queues: Sequence[str] | None
    tasks: Sequence[str] | None


async def read_errors(
    on: Executor,
    since: Duration = "1h",
    limit: int = 50,
    skip: int = 0,
    slices: int = SLICES,
    until: datetime | None = None,
    **filters: Unpack[ErrorFilter],
) -> ErrorPage:
    """The most frequent errors of the last `since`, or of the one before `until`; at most 1000 groups after
    the first `skip`, which is at most 10,000.

    Looks at the newest 100,000 attempts of this period and the one before.
    """
    asked = wire(filters)
    check_storable(str(value) for value in asked.values())
    return await stats.error_groups(on, parse_duration(since), asked, limit, skip, slices, LOOKED, until)
