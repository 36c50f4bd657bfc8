"""The depth of queues by minute."""

from datetime import timedelta

from holdfast.db.read_rows import read_all
from holdfast.db.statement import Executor
from holdfast.model.depth import DepthSample

HISTORY = """
select
  queue, minute, waiting, scheduled, ready, running, oldest_ready, oldest_age, began_at, sampled_at
from holdfast.depth_history($1::interval, $2::text, $3::integer)
"""


async def depth_history(
    on: Executor, since: timedelta, queue: str | None = None, limit: int = 10_000
) -> list[DepthSample]:
    """The oldest first, at most `limit`."""
    return await read_all(on, DepthSample, HISTORY, since, queue, limit)
