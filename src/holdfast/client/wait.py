"""Waits for something in the database by polling, with growing intervals."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

from holdfast.model.duration import Duration, parse_duration, short
from holdfast.model.error import Timeout

T = TypeVar("T")

FIRST_PAUSE = timedelta(milliseconds=20)
LONGEST_PAUSE = timedelta(seconds=1)
GROWTH = 1.5


async def wait_until(look: Callable[[], Awaitable[T | None]], timeout: Duration | None, what: str) -> T:
    """The first result of `look` that is not None; raises Timeout when the time is over."""
    limit = None if timeout is None else parse_duration(timeout)
    end = None if limit is None else time.monotonic() + limit.total_seconds()
    pause = FIRST_PAUSE.total_seconds()
    while True:
        found = await look()
        if found is not None:
            return found
        left = pause if end is None else end - time.monotonic()
        if left <= 0:
            raise Timeout(
                f"{what} within {short(limit or timedelta(0))}.",
                "wait longer; 'holdfast jobs list' shows the state of the jobs",
            )
        await asyncio.sleep(min(pause, left))
        pause = min(pause * GROWTH, LONGEST_PAUSE.total_seconds())
