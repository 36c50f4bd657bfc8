"""How many workers a queue needs, by its statistics."""

from datetime import timedelta

from holdfast.db.statement import Executor, fetch_row
from holdfast.model.error import SchemaBehind
from holdfast.model.need import AHEAD, WorkerNeed

RECOMMEND = (
    "select queue, workers, slots_each, rate_per_minute, forecast_per_minute, seconds_per_job, ready, running"
    " from holdfast.recommended_workers($1::text, $2::interval, $3::interval, $4::integer)"
)


async def recommended_workers(
    on: Executor, queue: str, target: timedelta, ahead: timedelta = AHEAD, slots: int | None = None
) -> WorkerNeed:
    row = await fetch_row(on, RECOMMEND, queue, target, ahead, slots)
    if row is None:
        raise SchemaBehind("recommended_workers returned no row.")
    return WorkerNeed(*row)
