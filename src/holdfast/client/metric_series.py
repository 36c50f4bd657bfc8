"""The series of the database's metrics, made from its figures."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from math import fsum

from holdfast.client.duration_histogram import DurationHistogram
from holdfast.model.endpoint import Circuit
from holdfast.model.figures import (
    EndpointFigures,
    Figures,
    QueueDepth,
    ReportedFigure,
    RunBudget,
    StatTotal,
    WorkerCount,
)
from holdfast.telemetry import metric_list as metrics
from holdfast.telemetry.metric_list import Metric
from holdfast.telemetry.prometheus_text import Sample

LIVE = ("working", "draining")


@dataclass(frozen=True, slots=True)
class Series:
    """What one set of labels of a metric writes: one line, or all lines of a histogram.

    `size` says how much has happened behind it: where there are too many series, the largest are kept.
    """

    metric: Metric
    labels: tuple[str, ...]
    samples: tuple[Sample, ...]
    size: float = 0


def every_series(figures: Figures) -> Iterator[Series]:
    sizes = queue_sizes(figures.totals)
    yield from _maintenance(figures)
    yield from _workers(figures.workers)
    for queue in figures.queues:
        yield from _queue(queue, sizes[queue.queue])
    for letters in figures.letters:
        yield one(metrics.DEAD_LETTERS, letters.letters, letters.queue, size=sizes[letters.queue])
    yield from _work(figures.totals, sizes)
    yield from _durations(figures.totals, sizes)
    yield from _calls(figures.totals)
    for endpoint in figures.endpoints:
        yield from _endpoint(endpoint)
    for budget in figures.budgets:
        yield from _run_budget(budget)
    yield from _reported(figures.reported)


def one(metric: Metric, value: float, *labels: str, size: float = 0) -> Series:
    return Series(metric, labels, (Sample(value, dict(zip(metric.labels, labels, strict=True))),), size)


def queue_sizes(totals: Iterable[StatTotal]) -> Counter[str]:
    """Jobs that were enqueued and ended in each queue. Lasting totals: the order of the queues is steady."""
    sizes: Counter[str] = Counter()
    for total in totals:
        if total.what in ("end", "enqueue"):
            sizes[total.queue] += total.jobs
    return sizes


def _maintenance(figures: Figures) -> Iterator[Series]:
    for done in figures.maintenance:
        yield one(metrics.MAINTENANCE, done.succeeded_at, done.task)


def _workers(counts: Iterable[WorkerCount]) -> Iterator[Series]:
    slots: Counter[str] = Counter()
    busy: Counter[str] = Counter()
    for count in counts:
        yield one(metrics.WORKERS, count.workers, count.group, count.state, size=count.workers)
        if count.state in LIVE:
            slots[count.group] += count.slots
            busy[count.group] += count.running
    for group in slots:
        yield one(metrics.SLOTS, slots[group], group, size=slots[group])
        yield one(metrics.SLOTS_BUSY, busy[group], group, size=slots[group])


def _queue(queue: QueueDepth, size: int) -> Iterator[Series]:
    states = {
        "waiting": queue.waiting,
        "scheduled": queue.scheduled,
        "ready": queue.ready,
        "running": queue.running,
    }
    for state, jobs in states.items():
        yield one(metrics.JOBS, jobs, queue.queue, state, size=size)
    yield one(metrics.OLDEST_READY, queue.oldest_age or 0, queue.queue, size=size)
    yield one(metrics.QUEUE_PAUSED, int(queue.is_paused), queue.queue, size=size)
    if queue.sample_age is not None:
        yield one(metrics.SAMPLE_AGE, queue.sample_age, queue.queue, size=size)


def _work(totals: Iterable[StatTotal], sizes: Counter[str]) -> Iterator[Series]:
    """Sums of floats are exact: one that depended on the order of reading could fall by its last digit."""
    parts: defaultdict[tuple[Metric, tuple[str, ...]], list[float]] = defaultdict(list)
    for total in totals:
        for metric, labels, value in _counted(total):
            parts[metric, labels].append(value)
    for (metric, labels), values in parts.items():
        yield one(metric, fsum(values), *labels, size=sizes[labels[0]])


def _counted(total: StatTotal) -> Iterator[tuple[Metric, tuple[str, ...], float]]:
    """The counters that a total is added to, each with its labels; the first label is the queue."""
    visit = (total.queue, total.task, total.pipeline, total.stage)
    if total.what == "enqueue":
        yield metrics.JOBS_ENQUEUED, visit[:3], total.jobs
    elif total.what == "attempt":
        yield metrics.ATTEMPTS_FAILED, (*visit, total.state, total.name), total.jobs
    elif total.what == "end":
        if total.state == "advanced":
            yield metrics.STAGES_LEFT, visit, total.jobs
        else:
            yield metrics.JOBS_ENDED, (*visit, total.state), total.jobs
        yield metrics.JOBS_RETRIED, (*visit, total.state), total.retried
        yield metrics.ATTEMPTS_STARTED, visit, total.tries
        yield metrics.RETRIES, visit, total.retries
        yield metrics.UNITS, visit, total.units
        yield metrics.COST, visit, total.cost


def _durations(totals: Iterable[StatTotal], sizes: Counter[str]) -> Iterator[Series]:
    """How long jobs waited and ran, per queue and stage."""
    waits: defaultdict[tuple[str, ...], DurationHistogram] = defaultdict(DurationHistogram)
    runs: defaultdict[tuple[str, ...], DurationHistogram] = defaultdict(DurationHistogram)
    for total in totals:
        if total.what == "end":
            place = (total.queue, total.pipeline, total.stage)
            waits[place].add(total.wait_tens, total.wait_seconds)
            runs[place].add(total.run_tens, total.run_seconds)
    for metric, found in ((metrics.JOB_WAIT, waits), (metrics.JOB_RUN, runs)):
        for labels, histogram in found.items():
            named = dict(zip(metric.labels, labels, strict=True))
            yield Series(metric, labels, tuple(histogram.samples(named)), sizes[labels[0]])


def _calls(totals: Iterable[StatTotal]) -> Iterator[Series]:
    """Calls of models and tools, of all tasks together."""
    outcomes: Counter[tuple[str, str, str]] = Counter()
    by_callee: defaultdict[tuple[str, str], list[StatTotal]] = defaultdict(list)
    for total in totals:
        if total.what == "call":
            kind, _, failed = total.state.partition("_")
            outcomes[kind, total.name, "error" if failed else "ok"] += total.jobs
            by_callee[kind, total.name].append(total)
    for labels, made in outcomes.items():
        yield one(metrics.CALLS, made, *labels, size=made)
    for callee, calls in by_callee.items():
        made = sum(call.jobs for call in calls)
        yield summary(metrics.CALL_SECONDS, fsum(call.run_seconds for call in calls), made, *callee)
        yield one(metrics.CALL_UNITS, fsum(call.units for call in calls), *callee, size=made)
        yield one(metrics.CALL_COST, fsum(call.cost for call in calls), *callee, size=made)


def summary(metric: Metric, total: float, count: int, *labels: str) -> Series:
    named = dict(zip(metric.labels, labels, strict=True))
    return Series(metric, labels, (Sample(total, named, "_sum"), Sample(count, named, "_count")), count)


def _endpoint(endpoint: EndpointFigures) -> Iterator[Series]:
    single = partial(one, size=endpoint.started)
    name = endpoint.name
    yield single(metrics.ENDPOINT_LIMIT, endpoint.limit, name)
    yield single(metrics.ENDPOINT_IN_FLIGHT, endpoint.in_flight, name)
    for circuit in Circuit:
        yield single(metrics.ENDPOINT_CIRCUIT, int(circuit is endpoint.circuit), name, circuit)
    outcomes = {
        "ok": endpoint.ok,
        "failed": endpoint.failed,
        "rate_limited": endpoint.limited,
        "other": endpoint.other,
    }
    for outcome, calls in outcomes.items():
        yield single(metrics.ENDPOINT_CALLS, calls, name, outcome)
    yield single(metrics.ENDPOINT_STARTED, endpoint.started, name)
    yield summary(metrics.ENDPOINT_SECONDS, endpoint.seconds, endpoint.ok, name)
    yield single(metrics.ENDPOINT_UNITS, endpoint.units, name)
    yield single(metrics.ENDPOINT_COST, endpoint.cost, name)
    if endpoint.budget_left is not None:
        yield single(metrics.ENDPOINT_BUDGET, endpoint.budget_left, name)


def _run_budget(budget: RunBudget) -> Iterator[Series]:
    for unit, left in (("money", budget.money_left), ("units", budget.units_left)):
        if left is not None:
            yield one(metrics.RUN_BUDGET, left, str(budget.run), budget.name, unit)


def _reported(figures: Iterable[ReportedFigure]) -> Iterator[Series]:
    """The label sets of one name may differ, so each has a metric of its own; they share their name."""
    newest: dict[str, float] = {}
    for figure in figures:
        names = tuple(sorted(figure.labels))
        yield one(
            metrics.reported(figure.name, names), figure.value, *(figure.labels[name] for name in names)
        )
        newest[figure.name] = min(figure.age, newest.get(figure.name, figure.age))
    for name, age in newest.items():
        yield one(metrics.REPORT_AGE, age, name)
