"""How many workers a queue needs, by its statistics."""

from datetime import timedelta

from holdfast.db.statement import Executor, fetch_one
from holdfast.model.need import AHEAD, WorkerNeed

RECOMMEND = (
    "select queue, workers, slots_each, rate_per_minute, forecast_per_minute, seconds_per_job, ready, running"
    " from holdfast.recommended_workers($1::text, $2::interval, $3::interval, $4::integer)"
)


async def recommended_workers(
    on: Executor, queue: str, target: timedelta, ahead: timedelta = AHEAD, slots: int | None = None
) -> WorkerNeed:
    return WorkerNeed(*await fetch_one(on, RECOMMEND, queue, target, ahead, slots))
