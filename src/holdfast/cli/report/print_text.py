"""A report as a short text: the verdict, then a table for each subject that has something to say."""

from collections.abc import Sequence
from datetime import timedelta
from typing import TypeVar

from holdfast.cli.frame.output import tell, write
from holdfast.cli.frame.render import Columns, count, counts, number, percent, print_table, roughly
from holdfast.model.duration import short
from holdfast.model.human_readable import counted, time_words
from holdfast.model.report import (
    EndpointReport,
    ModelReport,
    Part,
    QueueReport,
    Report,
    SlowJob,
    StageReport,
    TaskReport,
)
from holdfast.model.stats import ErrorGroup
from holdfast.model.worker import LeftWorkers, WorkerSummary

T = TypeVar("T")

ROWS = 10
BLOCKS = "▁▂▃▄▅▆▇█"

QUEUES: Columns[QueueReport] = {
    "queue": lambda one: one.name,
    "done": lambda one: count(one.ends.visits, False),
    "dead": lambda one: count(one.ends.dead, False),
    "ready": lambda one: counts(one, ["ready"], one.more_than)[0],
    "oldest": lambda one: roughly(one.oldest_ready),
    "wait 95%": lambda one: roughly(one.ends.wait_p95),
    "run 95%": lambda one: roughly(one.ends.run_p95),
    "workers": lambda one: f"{one.need.workers} × {one.need.slots}" if one.need and one.need.workers else "0",
}
TASKS: Columns[TaskReport] = {
    "task": lambda one: one.name,
    "done": lambda one: count(one.ends.visits, False),
    "ok": lambda one: percent(one.ends.successes / one.ends.visits) if one.ends.visits else "",
    "dead": lambda one: count(one.ends.dead, False),
    "retried": lambda one: percent(one.ends.retried / one.ends.visits) if one.ends.visits else "",
    "run 50%": lambda one: roughly(one.ends.run_p50),
    "run 95%": lambda one: roughly(one.ends.run_p95),
    "units": lambda one: number(one.ends.units) if one.ends.units else "",
    "cost": lambda one: f"{one.ends.cost:,.2f}" if one.ends.cost else "",
}
MODELS: Columns[ModelReport] = {
    "model": lambda one: one.name,
    "calls": lambda one: count(one.calls, False),
    "errors": lambda one: count(one.errors, False),
    "mean": lambda one: roughly(one.mean),
    "95%": lambda one: roughly(one.p95),
    "units": lambda one: number(one.units) if one.units else "",
    "cost": lambda one: f"{one.cost:,.2f}" if one.cost else "",
}
ERRORS: Columns[ErrorGroup] = {
    "tries": lambda one: count(one.attempts, False),
    "before": lambda one: count(one.before, False),
    "trend": lambda one: _line(one.trend, 12),
    "error": lambda one: (
        ": ".join(part for part in (one.error_type, one.message) if part) or "without a type"
    ),
}
ENDPOINTS: Columns[EndpointReport] = {
    "endpoint": lambda one: one.name,
    "circuit": lambda one: one.circuit.replace("_", " "),
    "in flight": lambda one: f"{one.in_flight} of {one.limit}",
    "calls": lambda one: count(one.started, False),
    "failed": lambda one: count(one.failed, False),
    "429s": lambda one: count(one.limited, False),
    "mean": lambda one: roughly(one.mean),
    "spent": lambda one: f"{one.spent_today:,.2f}" if one.spent_today else "",
}
STAGES: Columns[StageReport] = {
    "stage": lambda one: one.name,
    "visits": lambda one: count(one.ends.visits, False),
    "dead": lambda one: count(one.ends.dead, False),
    "ready": lambda one: counts(one, ["ready"], one.more_than)[0],
    "oldest": lambda one: roughly(one.oldest_ready),
    "wait 95%": lambda one: roughly(one.ends.wait_p95),
    "run 95%": lambda one: roughly(one.ends.run_p95),
}
SLOWEST: Columns[SlowJob] = {
    "job": lambda one: one.id,
    "task": lambda one: one.task,
    "end": lambda one: one.state,
    "waited": lambda one: roughly(one.waited),
    "ran": lambda one: roughly(one.ran),
}
WORKERS: Columns[WorkerSummary] = {
    "host": lambda one: one.host,
    "pid": lambda one: one.pid,
    "state": lambda one: one.state,
    "slots": lambda one: f"{one.running} of {one.slots}",
    "done": lambda one: count(one.processed, False),
    "failed": lambda one: count(one.failed, False),
    "for": lambda one: roughly(one.life_span),
}
LEFT: Columns[LeftWorkers] = {
    "hour": lambda one: time_words(one.hour),
    "group": lambda one: one.group,
    "left": lambda one: count(one.workers, False),
    "lost": lambda one: count(one.lost, False),
    "done": lambda one: count(one.processed, False),
    "failed": lambda one: count(one.failed, False),
    "lived 50": lambda one: roughly(one.life_p50),
    "95%": lambda one: roughly(one.life_p95),
}


def print_text(report: Report) -> None:
    _print_verdict(report)
    _print_part("Queues", report.queues, QUEUES)
    _print_part("Tasks", report.tasks, TASKS)
    _print_part("Models", report.models, MODELS)
    _print_part("Errors, against the period before", report.errors, ERRORS)
    _print_part("Endpoints", report.endpoints, ENDPOINTS)
    for one in report.pipelines.items:
        _print_part(f"Pipeline {one.name}", Part(one.stages), STAGES)
        if one.bottleneck is not None:
            tell(f"Bottleneck: {one.bottleneck.stage}: {'; '.join(one.bottleneck.reasons)}.")
    _print_part("Slowest jobs", report.slowest, SLOWEST)
    _print_part("Workers", report.workers, WORKERS)
    _print_part("Workers that left", report.left_workers, LEFT)
    if report.notes:
        write("")
    for note in report.notes:
        tell(f"note: {note}")


def _print_verdict(report: Report) -> None:
    ended, period = report.ended, report.period
    tell(f"Report of {time_words(period.since)} to {time_words(period.until)}")
    write("")
    for problem in report.problems:
        tell(f"! {problem.title}. {problem.words}")
        tell(f"  {problem.command}")
    if not report.problems:
        write("No problems.")
    write("")
    before = f", {report.ended_before.jobs:,} in the period before" if report.ended_before.jobs else ""
    tell(f"{counted(ended.jobs, 'job')} ended{before}: {_ways(report)}.")
    if ended.jobs:
        tell(f"{counted(ended.failed, 'attempt')} failed; {_retries(report)}.")
        tell(f"Wait {_spread(ended.wait_p50, ended.wait_p95)}, run {_spread(ended.run_p50, ended.run_p95)}.")
        if ended.units or ended.cost:
            tell(f"{number(ended.units)} units used, cost {ended.cost:,.2f}.")
        write(f"Ended   {_line([one.ends.jobs for one in report.timeline], len(report.timeline))}")
        write(f"Failed  {_line([one.ends.failed for one in report.timeline], len(report.timeline))}")


def _ways(report: Report) -> str:
    ended = report.ended
    ways = (("completed", ended.completed), ("rejected", ended.rejected), ("cancelled", ended.cancelled))
    return ", ".join(f"{jobs:,} {way}" for way, jobs in (*ways, ("dead", ended.dead)) if jobs) or "none"


def _retries(report: Report) -> str:
    found = report.retries
    if not found.jobs:
        return "no job was retried"
    return f"{percent(found.share)} of the jobs were retried, {percent(found.success)} of those completed"


def _spread(half: timedelta | None, most: timedelta | None) -> str:
    return "unknown" if half is None or most is None else f"p50 {short(half)}, p95 {short(most)}"


def _line(values: Sequence[int], points: int) -> str:
    """A sparkline of letters, from zero; neighbours are added up where there are more values than points."""
    step = -(-len(values) // points)
    sums = [sum(values[i : i + step]) for i in range(0, len(values), step)]
    top = max([*sums, len(BLOCKS)])
    return "".join(BLOCKS[-(-value * (len(BLOCKS) - 1) // top)] if value else " " for value in sums)


def _print_part(heading: str, part: Part[T], columns: Columns[T]) -> None:
    """Nothing, if it has no rows."""
    if not part.items:
        return
    write("")
    tell(heading)
    shown = part.items[:ROWS]
    _, *between, _ = columns
    print_table([*columns], ([cell(one) for cell in columns.values()] for one in shown), between)
    more = len(part.items) - len(shown) + part.more
    if more:
        write(f"… and {'more than ' if part.is_partial else ''}{more:,} more")
