"""The parts of a report, each made from the facts."""

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import groupby

from holdfast.client.report.facts import READ, Facts
from holdfast.db.report import CallRow, EndRow, SlowRow
from holdfast.model.endpoint import EndpointSummary
from holdfast.model.report import (
    NO_ENDS,
    EndpointReport,
    EndpointSlice,
    Ends,
    ModelReport,
    Need,
    Part,
    Period,
    QueueReport,
    Retries,
    Slice,
    SlowJob,
    TaskReport,
)
from holdfast.model.stats import ErrorGroup, ErrorPage
from holdfast.model.worker_need import WorkerNeed

TASKS = 20
LONGEST_MESSAGE = 500
LONGEST_HISTORY = timedelta(hours=6)  # of an endpoint's seconds


def retries(ended: Ends) -> Retries:
    return Retries(
        jobs=ended.retried,
        share=ended.retried / ended.visits if ended.visits else None,
        completed=ended.retried_completed,
        success=ended.retried_completed / ended.retried if ended.retried else None,
    )


def slices(period: Period, rows: list[EndRow]) -> list[Slice]:
    """Every slice of the period, also those in which nothing ended."""
    ends = {row.slice: row.ends for row in rows if row.by_what == "slice"}
    return [
        Slice(period.since + number * period.slice, ends.get(number, NO_ENDS))
        for number in range(period.slices)
    ]


def queues(facts: Facts) -> Part[QueueReport]:
    ends = facts.ends_by("queue")
    items = [_queue(facts, name, ends.get(name, NO_ENDS)) for name in facts.shown_queues]
    known = len(facts.queues.keys() | ends.keys())
    return Part(items, known - len(items), len(facts.queues) == READ)


def _queue(facts: Facts, name: str, ends: Ends) -> QueueReport:
    live, need = facts.queues.get(name), facts.needs.get(name)
    return QueueReport(
        name=name,
        ends=ends,
        ready=live.ready if live else 0,
        running=live.running if live else 0,
        scheduled=live.scheduled if live else 0,
        waiting=live.waiting if live else 0,
        more_than=live.more_than if live else [],
        oldest_ready=age(live.oldest_ready if live else None, facts.now),
        is_paused=live is not None and live.paused_at is not None,
        workers=sum(name in worker.queues for worker in facts.workers),
        need=None if need is None else _need(need),
        sampled_at=live.sampled_at if live else None,
        sampled_waiting=live.sampled_waiting if live else None,
        sampled_scheduled=live.sampled_scheduled if live else None,
        sampled_ready=live.sampled_ready if live else None,
        sampled_running=live.sampled_running if live else None,
    )


def age(moment: datetime | None, now: datetime) -> timedelta | None:
    return None if moment is None else max(timedelta(0), now - moment)


def _need(found: WorkerNeed) -> Need:
    return Need(
        found.workers, found.slots, found.rate_per_minute, found.forecast_per_minute, found.seconds_per_job
    )


def tasks(facts: Facts) -> Part[TaskReport]:
    items = [TaskReport(name, ends) for name, ends in facts.ends_by("task").items()]
    return Part(items[:TASKS], max(0, len(items) - TASKS))


def models(facts: Facts) -> Part[ModelReport]:
    items = [_model(name, ends) for name, ends in facts.ends_by("model").items()]
    return Part(items[:TASKS], max(0, len(items) - TASKS))


def _model(name: str, ends: Ends) -> ModelReport:
    return ModelReport(
        name, ends.jobs, ends.failed, ends.units, ends.cost, ends.run_mean, ends.run_p50, ends.run_p95
    )


def errors(found: ErrorPage) -> Part[ErrorGroup]:
    items = [replace(one, message=one.message and one.message[:LONGEST_MESSAGE]) for one in found.items]
    return Part(items, found.total.groups - len(items), found.total.is_partial)


def endpoints(facts: Facts) -> Part[EndpointReport]:
    items = endpoint_reports(facts.shown_endpoints, facts.calls, facts.period)
    return Part(items, len(facts.endpoints) - len(items), len(facts.endpoints) == READ)


def endpoint_reports(
    found: list[EndpointSummary], rows: list[CallRow], period: Period
) -> list[EndpointReport]:
    calls = {name: list(group) for name, group in groupby(rows, key=lambda row: row.endpoint)}
    return [_endpoint(one, calls.get(one.name, []), period) for one in found]


def _endpoint(found: EndpointSummary, calls: list[CallRow], period: Period) -> EndpointReport:
    length = min(period.length, LONGEST_HISTORY)
    since, step = period.until - length, length / period.slices
    by_slice = {row.slice: row for row in calls}
    return EndpointReport(
        name=found.name,
        circuit=found.circuit,
        limit=found.limit,
        in_flight=found.in_flight,
        max=found.max,
        since=since,
        started=sum(row.started for row in calls),
        ok=sum(row.ok for row in calls),
        failed=sum(row.failed for row in calls),
        limited=sum(row.limited for row in calls),
        other=sum(row.other for row in calls),
        units=sum(row.units for row in calls),
        mean=_mean(calls),
        spent_today=found.spent_today,
        budget_per_day=found.budget_per_day,
        fallback=found.fallback,
        slices=[_slice(since + n * step, by_slice.get(n)) for n in range(period.slices)],
    )


def _mean(calls: list[CallRow]) -> timedelta | None:
    answered = sum(row.ok for row in calls)
    seconds = sum(row.mean_seconds * row.ok for row in calls if row.mean_seconds is not None)
    return timedelta(seconds=seconds / answered) if answered else None


def _slice(at: datetime, row: CallRow | None) -> EndpointSlice:
    if row is None:
        return EndpointSlice(at, 0, 0, 0, 0, None, 0, 0)
    mean = None if row.mean_seconds is None else timedelta(seconds=row.mean_seconds)
    return EndpointSlice(
        at, row.started, row.ok, row.failed, row.limited, mean, row.limit or 0, row.in_flight or 0
    )


def slowest(rows: list[SlowRow]) -> Part[SlowJob]:
    items = [SlowJob(**{name: getattr(row, name) for name in SlowJob.__dataclass_fields__}) for row in rows]
    return Part(items, 0, any(row.is_partial for row in rows))
