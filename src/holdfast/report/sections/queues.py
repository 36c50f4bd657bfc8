"""Waits and runs by queue, and the queues with their backlog and the workers that they need."""

from collections.abc import Callable, Mapping
from datetime import timedelta

from holdfast.model.report import Ends, QueueReport, Report
from holdfast.report.charts.range_bar import LogAxis, axis_words, range_bar
from holdfast.report.markup import Child, Markup, element, joined
from holdfast.report.panel import and_more, nothing, panel
from holdfast.report.table import Column, capped, name, table
from holdfast.report.words import NONE, count, duration

LATE = timedelta(minutes=5)
MOST_RANGES = 8
_MARK = (
    element("rect", class_="soft", y="2", width="14", height="6", rx="3"),
    element("circle", class_="solid", cx="3", cy="5", r="3"),
)


def ranges(queues: Mapping[str, Ends], named: Callable[[str], Markup] = name) -> Markup:
    """p50 to p95 of each queue on one axis; `named` writes the name of one."""
    shown = [(queue, ends) for queue, ends in queues.items() if ends.visits][:MOST_RANGES]
    if not shown:
        return panel("ranges", "Wait and run by queue", nothing("No job ended in this period."))
    axis = LogAxis([length for _, ends in shown for length in _lengths(ends)])
    heading = joined(axis_words(axis), element("span", "Range", class_="hidden"))
    columns: tuple[Column[tuple[str, Ends]], ...] = (
        Column("Queue", lambda one: named(one[0])),
        Column(heading, lambda one: _bar(axis, one[1]), "grow span"),
        Column("Wait p95", lambda one: _late(one[1].wait_p95), "n"),
        Column("Run p95", lambda one: duration(one[1].run_p95), "n"),
    )
    made = table(columns, shown, "Waiting and running time by queue", key=lambda one: one[0])
    return panel(
        "ranges",
        "Wait and run by queue",
        Markup(made.replace('class="table stack"', 'class="table ranges"', 1)),
        aside=element("ul", _key("ready", "Wait p50 to p95"), _key("running", "Run"), class_="legend"),
    )


def _lengths(ends: Ends) -> list[timedelta | None]:
    return [ends.wait_p50, ends.wait_p95, ends.run_p50, ends.run_p95]


def _bar(axis: LogAxis, ends: Ends) -> Markup:
    drawn = range_bar(
        axis, [("ready", ends.wait_p50, ends.wait_p95), ("running", ends.run_p50, ends.run_p95)]
    )
    words = f"wait p50 {duration(ends.wait_p50)}, run p50 {duration(ends.run_p50)}"
    return joined(drawn, element("span", words, class_="hidden"))


def _key(colour: str, words: str) -> Markup:
    mark = element("svg", *_MARK, viewbox="0 0 14 10", aria_hidden="true")
    return element("li", mark, words, class_=f"c-{colour}")


def queues(report: Report) -> Markup:
    part = report.queues
    if not part.items:
        return panel("queues", "Queues", nothing("There is no queue yet.", "holdfast enqueue TASK"))
    known = len(part.items) + part.more
    return panel(
        "queues",
        "Queues",
        table(COLUMNS, part.items, "Queues, those with the most jobs first"),
        note=f"{known:,} in all, those with the most jobs first" if known > 1 else None,
        foot=and_more(part, "queues", "holdfast queues list"),
    )


def _late(length: timedelta | None) -> Child:
    words = duration(length)
    return element("span", words, class_="warn") if (length or timedelta(0)) > LATE else words


def _live(of: str) -> Column[QueueReport]:
    def cell(one: QueueReport) -> Child:
        sampled = getattr(one, f"sampled_{of}")
        return capped(getattr(one, of), of in one.more_than, sampled, one.sampled_at)

    return Column(of.capitalize(), cell, "n", opt="" if of in ("ready", "running") else "opt-2")


def _dead(one: QueueReport) -> Child:
    return element("span", count(one.ends.dead), class_="bad") if one.ends.dead else "0"


def _need(one: QueueReport) -> Child:
    if one.need is None:
        return NONE
    slots = f" × {one.need.slots}" if one.need.workers else ""
    hint = f"{one.need.rate_per_minute:.1f} jobs per minute now, {one.need.forecast_per_minute:.1f} expected"
    return element("span", f"{one.need.workers:,}{slots}", title=hint)


COLUMNS: tuple[Column[QueueReport], ...] = (
    Column("Queue", lambda one: name(one.name, "paused" if one.is_paused else None)),
    _live("waiting"),
    _live("scheduled"),
    _live("ready"),
    _live("running"),
    Column("Oldest ready", lambda one: _late(one.oldest_ready), "n", label="Oldest"),
    Column("Processed", lambda one: count(one.ends.visits), "n"),
    Column("Failed", lambda one: count(one.ends.failed), "n", opt="opt-1"),
    Column("Dead", _dead, "n"),
    Column("Wait p95", lambda one: duration(one.ends.wait_p95), "n", opt="opt-1"),
    Column("Run p95", lambda one: duration(one.ends.run_p95), "n", opt="opt-1"),
    Column("Workers × slots", _need, "n", label="Need"),
)
