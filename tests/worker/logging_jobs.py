"""Jobs that log, run to their end, and what is kept of it."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from holdfast import Holdfast, Worker
from holdfast.client.job_handle import JobHandle

CUT = "The rest was cut: an attempt keeps 64 KiB of its log."
log = logging.getLogger("shop")


async def said(handle: JobHandle[Any]) -> list[str]:
    return [line.message for line in await handle.logs()]


def has_logged(handle: JobHandle[Any], count: int = 1) -> Callable[[], Awaitable[bool]]:
    async def is_so() -> bool:
        return len(await handle.logs()) >= count

    return is_so


async def drained(app: Holdfast, *queues: str) -> None:
    """A worker has done all the work, and has sent its last lines."""
    await Worker(app, list(queues) or ["default"], drain=True).run()
