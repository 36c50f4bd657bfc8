"""Waiting for an end by looking again and again: rarely enough to be no burden, often enough to be prompt."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

from holdfast.cli.render import span
from holdfast.model.error import Timeout

T = TypeVar("T")

FIRST_PAUSE = 0.05
LONGEST_PAUSE = 1.0


async def wait_for(
    look: Callable[[], Awaitable[T]], is_done: Callable[[T], bool], limit: timedelta | None, what: str
) -> T:
    """What `look` saw when it was done; raises Timeout after `limit`."""
    start = time.monotonic()
    pause = FIRST_PAUSE
    while True:
        seen = await look()
        if is_done(seen):
            return seen
        left = None if limit is None else limit.total_seconds() - (time.monotonic() - start)
        if limit is not None and left is not None and left <= 0:
            waited = f"Waited {span(limit)}, and {what} have not ended."
            raise Timeout(waited, "wait longer, or look with holdfast jobs list")
        await asyncio.sleep(pause if left is None else min(pause, left))
        pause = min(LONGEST_PAUSE, pause * 1.5)
