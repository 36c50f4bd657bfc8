"""How a view looks, on 80 columns or more: sections in order, and the keys in the last line."""

from datetime import datetime

from rich.console import Group, RenderableType
from rich.text import Text

from holdfast.cli.frame.render import ago, clock, counts, done, number, table_lines
from holdfast.cli.top.view import View
from holdfast.model.job import Job
from holdfast.model.overview import (
    OverviewEndpoint,
    OverviewError,
    OverviewJob,
    OverviewQueue,
    OverviewWorker,
)
from holdfast.model.printable import printable

KEYS = "q quit  ↑↓ select  enter jobs  p pause/resume  r replay dead"
KEYS_OF_JOBS = "q quit  any other key: back"
JOBS_SHOWN = 20
HEIGHT = 24
FEWEST = 2  # lines of a section: its heading and one row

Section = list[Text]


def frame(view: View, width: int, height: int = HEIGHT) -> RenderableType:
    """At most `height` lines, of which the last one always names the keys."""
    overview = view.overview
    if view.jobs is not None:
        sections = [_jobs(view.jobs, overview.now, width)]
    else:
        sections = [
            _queues(view, width),
            _workers(overview.workers, width),
            _endpoints(overview.endpoints, overview.now, width),
            _running(overview.running, overview.now, width),
            _errors(overview.errors, overview.now, width),
        ]
    shown = [section for section in sections if len(section) >= FEWEST or section is sections[0]]
    lines = _fitted(shown, height - 2 - len(shown))
    return Group(_title(view), *lines, _foot(view))


def _fitted(sections: list[Section], room: int) -> list[Text]:
    """Takes rows from the longest section until all fit; each is followed by an empty line."""
    cut = [0] * len(sections)
    while sum(map(len, sections)) > room:
        longest = max(range(len(sections)), key=lambda i: len(sections[i]))
        if len(sections[longest]) <= FEWEST + 1:
            break
        removed = 1 if cut[longest] else 2  # the first cut makes room for the line that says so
        sections[longest] = sections[longest][: len(sections[longest]) - removed - (cut[longest] > 0)]
        cut[longest] += removed
        sections[longest].append(Text(f"… {cut[longest]:,} more", style="dim"))
    return [line for section in sections for line in (*section, Text())]


def _title(view: View) -> Text:
    name = view.queue.name if view.jobs is not None and view.queue else "all queues"
    return Text(f"holdfast top  {clock(view.overview.now)}  {printable(name)}", style="bold")


def _foot(view: View) -> Text:
    if view.asks and view.queue is not None:
        return Text(f"Replay all dead jobs of {printable(view.queue.name)}? y/n", style="bold yellow")
    keys = KEYS if view.jobs is None else KEYS_OF_JOBS
    return Text(printable(view.message) or keys, style="dim")


def _queues(view: View, width: int) -> Section:
    columns = ("queue", "state", "ready", "run", "sched", "wait", "oldest", "/min", "dead")
    queues = view.overview.queues
    lines = table_lines(columns, (_queue(one, view.overview.now) for one in queues), columns[1:], width)
    for line, queue in zip(lines[1:], queues, strict=True):
        if queue is view.queue:
            line.stylize("reverse")
    return [*lines, Text("… more queues", style="dim")] if view.overview.has_more_queues else lines


def _queue(queue: OverviewQueue, now: datetime) -> tuple[object, ...]:
    return (
        queue.name,
        "paused" if queue.paused else "open",
        *counts(queue, ("ready", "running", "scheduled", "waiting"), queue.more_than),
        ago(queue.oldest, now),
        number(queue.per_minute),
        queue.dead,
    )


def _workers(workers: list[OverviewWorker], width: int) -> Section:
    rows = (
        (f"{one.host}:{one.pid}", one.state, f"{one.running}/{one.slots}", one.version) for one in workers
    )
    return table_lines(("worker", "state", "busy", "version"), rows, ("state", "busy"), width)


def _endpoints(endpoints: list[OverviewEndpoint], now: datetime, width: int) -> Section:
    columns = ("endpoint", "circuit", "open until", "calls")
    rows = (
        (one.name, one.circuit, ago(one.open_until, now), f"{one.running}/{one.limit}") for one in endpoints
    )
    return table_lines(columns, rows, columns[1:], width)


def _running(jobs: list[OverviewJob], now: datetime, width: int) -> Section:
    """The longest running first; most jobs are too short to report a progress."""
    rows = ((one.id, ago(one.started, now), one.task, str(one.progress or "")) for one in jobs)
    return table_lines(("running", "for", "task", "done"), rows, ("running", "for"), width)


def _errors(errors: list[OverviewError], now: datetime, width: int) -> Section:
    rows = (
        (one.attempts, ago(one.last, now), _line(f"{one.type or 'lost'}: {one.message or ''}"))
        for one in errors
    )
    return table_lines(("tries", "last", "error of the last ten minutes"), rows, ("tries", "last"), width)


def _jobs(jobs: list[Job], now: datetime, width: int) -> Section:
    columns = ("id", "state", "try", "age", "task", "done")
    rows = ((one.id, one.state, one.attempt, ago(one.created_at, now), one.task, done(one)) for one in jobs)
    return table_lines(columns, rows, columns[:4], width)


def _line(text: str) -> str:
    return " ".join(text.split())
