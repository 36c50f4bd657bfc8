"""How many workers a queue needs, by its statistics."""

from datetime import timedelta

from holdfast.db.read_rows import read_one
from holdfast.db.statement import Executor
from holdfast.model.worker_need import AHEAD, WorkerNeed

RECOMMEND = (
    "select n.queue, n.workers, n.slots_each, n.rate_per_minute, n.forecast_per_minute, n.seconds_per_job,"
    " n.ready, n.running, c.most, c.limited_by, n.sampled_at"
    " from holdfast.recommended_workers($1::text, $2::interval, $3::interval, $4::integer) as n"
    " cross join lateral holdfast.queue_ceiling(n.queue) as c"
)


async def recommended_workers(
    on: Executor, queue: str, target: timedelta, ahead: timedelta = AHEAD, slots: int | None = None
) -> WorkerNeed:
    return await read_one(on, WorkerNeed, RECOMMEND, queue, target, ahead, slots)
