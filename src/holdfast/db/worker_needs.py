"""How many workers a queue needs, by its statistics."""

from datetime import timedelta

from holdfast.db.read_rows import read_one
from holdfast.db.statement import Executor
from holdfast.model.worker_need import AHEAD, WorkerNeed

RECOMMEND = (
    "select queue, workers, slots_each, rate_per_minute, forecast_per_minute, seconds_per_job, ready, running"
    " from holdfast.recommended_workers($1::text, $2::interval, $3::interval, $4::integer)"
)


async def recommended_workers(
    on: Executor, queue: str, target: timedelta, ahead: timedelta = AHEAD, slots: int | None = None
) -> WorkerNeed:
    return await read_one(on, WorkerNeed, RECOMMEND, queue, target, ahead, slots)
