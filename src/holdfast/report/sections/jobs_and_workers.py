"""The slowest jobs, the workers, and those that left."""

from holdfast.model.report import Report, SlowJob
from holdfast.model.worker import LeftWorkers, WorkerSummary
from holdfast.report.local_time import ZONE, local_clock
from holdfast.report.markup import Markup, element
from holdfast.report.panel import Links, and_more, nothing, panel, state
from holdfast.report.table import Column, name, several, table
from holdfast.report.words import count, duration, figure


def slowest(report: Report, links: Links | None = None) -> Markup:
    if not report.slowest.items:
        return panel("slowest", "Slowest jobs", nothing("No job ended in this period."))
    among = "among the 10,000 that were enqueued last" if report.slowest.is_partial else None
    ended: Column[SlowJob] = Column(
        Markup(f"Ended ({ZONE})"),
        lambda one: local_clock(one.ended_at, report.period.length),
        "n",
        label="Ended",
    )
    return panel(
        "slowest",
        "Slowest jobs",
        table((SLOWEST_TASK, _job_column(links), *SLOWEST, ended), report.slowest.items, "Slowest jobs"),
        note=among,
    )


def _job_column(links: Links | None) -> Column[SlowJob]:
    def cell(one: SlowJob) -> Markup:
        shown = element("code", str(one.id), class_="break")
        return shown if links is None else element("a", shown, href=links.job(one.id))

    return Column("Job", cell, place="full", opt="opt-1" if links is None else "")


SLOWEST_TASK: Column[SlowJob] = Column(
    "Task", lambda one: name(one.task, f"{one.queue} · {one.stage}" if one.stage else one.queue)
)
SLOWEST: tuple[Column[SlowJob], ...] = (
    Column("End", lambda one: state(one.state, one.state, one.state), place="half"),
    Column("Attempt", lambda one: count(one.attempt), "n"),
    Column("Waited", lambda one: duration(one.waited), "n"),
    Column("Ran", lambda one: duration(one.ran), "n"),
    Column("Units", lambda one: figure(one.units), "n", opt="opt-0"),
)


def workers(report: Report) -> Markup:
    part = report.workers
    if not part.items:
        return panel("workers", "Workers", nothing("No worker is running.", "holdfast worker"))
    return panel(
        "workers",
        "Workers",
        table(WORKERS, part.items, "Live workers, newest first"),
        note=f"{len(part.items) + part.more:,} live now",
        foot=and_more(part, "workers", "holdfast workers list"),
    )


WORKERS: tuple[Column[WorkerSummary], ...] = (
    Column(
        "Worker", lambda one: name(f"{one.host or 'unknown host'}, pid {one.pid or '–'}", one.group or None)
    ),
    Column(
        "State", lambda one: state(one.state, "running" if one.state == "working" else "deferred", "running")
    ),
    Column("Queues", lambda one: several(one.queues), "several", place="full"),
    Column("Slots", lambda one: f"{one.running:,} of {one.slots:,}", "n"),
    Column("Processed", lambda one: count(one.processed), "n"),
    Column("Failed", lambda one: count(one.failed), "n"),
    Column("Running for", lambda one: duration(one.life_span), "n"),
    Column("Version", lambda one: one.version or "–", opt="opt-0"),
)


def left_workers(report: Report) -> Markup:
    part = report.left_workers
    if not part.items:
        return panel("left", "Workers that left", nothing("No worker left in this period."))
    hour: Column[LeftWorkers] = Column(
        Markup(f"Hour ({ZONE})"), lambda one: local_clock(one.hour, report.period.length), label="Hour"
    )
    return panel(
        "left",
        "Workers that left",
        table((hour, *LEFT), part.items, "Workers that left by hour and group, newest first"),
        note=f"{sum(one.workers for one in part.items):,} in the hours shown",
        foot=and_more(part, "hours", "holdfast workers left"),
    )


LEFT: tuple[Column[LeftWorkers], ...] = (
    Column("Group", lambda one: name(one.group or "no group")),
    Column("Left", lambda one: count(one.workers), "n"),
    Column("Lost", lambda one: count(one.lost), "n"),
    Column("Processed", lambda one: count(one.processed), "n"),
    Column("Failed", lambda one: count(one.failed), "n"),
    Column("Lived p50", lambda one: duration(one.life_p50), "n"),
    Column("Lived p95", lambda one: duration(one.life_p95), "n"),
)
