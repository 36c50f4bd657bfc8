"""How a view looks, on 80 columns or more."""

from datetime import datetime

from rich.console import Group, RenderableType
from rich.text import Text

from holdfast.cli.output import printable
from holdfast.cli.render import ago, clock, counts, done, table_lines
from holdfast.cli.top.view import View
from holdfast.model.glance import GlanceError, GlanceJob, GlanceQueue, GlanceWorker
from holdfast.model.job import Job

KEYS = "q quit  ↑↓ select  enter jobs  p pause/resume  r replay dead"
KEYS_OF_JOBS = "q quit  any other key: back"
WORKERS_SHOWN = 6
JOBS_SHOWN = 20


def frame(view: View, width: int) -> RenderableType:
    lines = [_title(view)]
    if view.jobs is None:
        lines += [*_queues(view, width), Text(), *_workers(view.glance.workers, width), Text()]
        lines += _running(view.glance.running, view.glance.now, width)
        lines += _errors(view.glance.errors, view.glance.now, width)
    else:
        lines += _jobs(view.jobs, view.glance.now, width)
    return Group(*lines, Text(), _foot(view))


def _title(view: View) -> Text:
    name = view.queue.name if view.jobs is not None and view.queue else "all queues"
    return Text(f"holdfast top  {clock(view.glance.now)}  {printable(name)}", style="bold")


def _foot(view: View) -> Text:
    if view.asks and view.queue is not None:
        return Text(f"Replay all dead jobs of {printable(view.queue.name)}? y/n", style="bold yellow")
    keys = KEYS if view.jobs is None else KEYS_OF_JOBS
    return Text(printable(view.message) or keys, style="dim")


def _queues(view: View, width: int) -> list[Text]:
    columns = ("queue", "state", "ready", "run", "sched", "wait", "oldest", "/min", "dead")
    queues = view.glance.queues
    lines = table_lines(columns, (_queue(one, view.glance.now) for one in queues), columns[1:], width)
    for line, queue in zip(lines[1:], queues, strict=True):
        if queue is view.queue:
            line.stylize("reverse")
    return [*lines, Text("… more queues")] if view.glance.has_more_queues else lines


def _queue(queue: GlanceQueue, now: datetime) -> tuple[object, ...]:
    return (
        queue.name,
        "paused" if queue.paused else "open",
        *counts(queue, ("ready", "running", "scheduled", "waiting"), queue.more_than),
        ago(queue.oldest, now),
        f"{queue.per_minute:.3g}",
        queue.dead,
    )


def _workers(workers: list[GlanceWorker], width: int) -> list[Text]:
    shown = workers[:WORKERS_SHOWN]
    lines = table_lines(
        ("worker", "state", "busy", "version"),
        ((f"{one.host}:{one.pid}", one.state, f"{one.running}/{one.slots}", one.version) for one in shown),
        ("state", "busy"),
        width,
    )
    more = len(workers) - len(shown)
    return [*lines, Text(f"… {more} more")] if more else lines


def _running(jobs: list[GlanceJob], now: datetime, width: int) -> list[Text]:
    """Those that tell how far they are; most jobs are too short for that."""
    if not jobs:
        return []
    rows = ((one.id, ago(one.started, now), one.task, str(one.progress)) for one in jobs)
    return [*table_lines(("running", "for", "task", "done"), rows, ("running", "for"), width), Text()]


def _errors(errors: list[GlanceError], now: datetime, width: int) -> list[Text]:
    rows = (
        (one.attempts, ago(one.last, now), _line(f"{one.type or 'lost'}: {one.message or ''}"))
        for one in errors
    )
    return table_lines(("tries", "last", "error of the last ten minutes"), rows, ("tries", "last"), width)


def _jobs(jobs: list[Job], now: datetime, width: int) -> list[Text]:
    columns = ("id", "state", "try", "age", "task", "done")
    rows = ((one.id, one.state, one.attempt, ago(one.created_at, now), one.task, done(one)) for one in jobs)
    return table_lines(columns, rows, columns[:4], width)


def _line(text: str) -> str:
    return " ".join(text.split())
