"""What a report reads besides the lists: ends, calls of endpoints and slow jobs of a period."""

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.db.read_rows import read_all
from holdfast.db.statement import Executor
from holdfast.model.report import Ends, Period, SlowJob
from holdfast.model.worker_need import WorkerNeed

ENDS = (
    "select jobs, completed, rejected, cancelled, dead, advanced, failed, retried, retried_completed, units,"
    " cost, wait_mean, wait_p50, wait_p95, wait_p99, run_mean, run_p50, run_p95, run_p99, by_what, name,"
    " pipeline, slice, is_partial"
    " from holdfast.end_report($1::interval, $2::integer, $3::timestamptz)"
)
CALLS = (
    "select e.name, t.slice, t.started, t.ok, t.failed, t.limited, t.other, t.units, t.mean_seconds, t.limit,"
    " t.in_flight"
    " from unnest($1::text[]) as e (name)"
    " cross join lateral holdfast.endpoint_trend(e.name, $2::interval, $3::integer, $4::timestamptz) as t"
)
SLOWEST = (
    "select job_id, queue, task, stage, state, attempt, waited, ran, units, ended_at, is_partial"
    " from holdfast.slowest_jobs($1::interval, $2::integer, $3::timestamptz)"
)
NEEDS = (
    "select n.queue, n.workers, n.slots_each, n.rate_per_minute, n.forecast_per_minute, n.seconds_per_job,"
    " n.ready, n.running, c.most, c.limited_by, n.sampled_at"
    " from holdfast.worker_needs($1::text[]) as n cross join lateral holdfast.queue_ceiling(n.queue) as c"
)


@dataclass(frozen=True, slots=True)
class EndRow(Ends):
    """The fields are the columns of end_report."""

    by_what: str
    name: str
    pipeline: str
    slice: int | None
    is_partial: bool

    @property
    def ends(self) -> Ends:
        return Ends(**{name: getattr(self, name) for name in Ends.__dataclass_fields__})


@dataclass(frozen=True, slots=True)
class CallRow:
    """The fields are the columns of endpoint_trend, after the name of the endpoint."""

    endpoint: str
    slice: int
    started: int
    ok: int
    failed: int
    limited: int
    other: int
    units: float
    mean_seconds: float | None
    limit: int | None
    in_flight: int | None


@dataclass(frozen=True, slots=True)
class SlowRow(SlowJob):
    """With its fields the columns of slowest_jobs."""

    is_partial: bool


async def end_report(on: Executor, period: Period) -> list[EndRow]:
    return await read_all(on, EndRow, ENDS, period.length, period.slices, period.until)


async def endpoint_trends(on: Executor, endpoints: Sequence[str], period: Period) -> list[CallRow]:
    return await read_all(on, CallRow, CALLS, list(endpoints), period.length, period.slices, period.until)


async def slowest_jobs(on: Executor, period: Period, limit: int) -> list[SlowRow]:
    return await read_all(on, SlowRow, SLOWEST, period.length, limit, period.until)


async def worker_needs(on: Executor, queues: Sequence[str]) -> list[WorkerNeed]:
    return await read_all(on, WorkerNeed, NEEDS, list(queues))
