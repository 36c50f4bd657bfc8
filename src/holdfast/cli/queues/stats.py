"""`holdfast stats` and `holdfast queues keep-statistics`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Any

import typer

from holdfast.cli.frame.common_options import Json, Limit, actor
from holdfast.cli.frame.output import say, tell, write
from holdfast.cli.frame.render import (
    Columns,
    ago,
    counts,
    percent,
    print_json,
    print_list,
    print_table,
    roughly,
)
from holdfast.cli.frame.session import with_database
from holdfast.cli.jobs.operator_actions import Why
from holdfast.db import dead, queues, stats
from holdfast.db.connect import Database
from holdfast.model.duration import parse_duration
from holdfast.model.json_document import plain
from holdfast.model.queue import QueueSummary
from holdfast.model.stats import CallsBy, CallStats, EndStats, StatsBy, TimeParts

GROUPS = 1000  # of dead letters, whose open ones are counted


class By(StrEnum):
    """What a line is about. Lines of models, tools and parts have columns of their own."""

    QUEUE = "queue"
    TASK = "task"
    STAGE = "stage"
    LABEL = "label"
    HOUR = "hour"
    ALL = "all"
    MODEL = "model"
    TOOL = "tool"
    PART = "part"


@dataclass(frozen=True, slots=True)
class Report:
    """What ended in a span of time, what is live now, and how many dead letters are open."""

    ended: list[EndStats]
    live: list[QueueSummary]
    has_more_queues: bool
    open_letters: int
    has_more_letters: bool


def show_stats(
    context: typer.Context,
    since: Annotated[
        str,
        typer.Option(metavar="DURATION", help="How far to look back; statistics are kept for 30 days."),
    ] = "1h",
    by: Annotated[
        By,
        typer.Option(
            help="Print one line per queue, task, stage of a pipeline, hour, model or tool. label: one line"
            " per value of the label that the queue's setting stats_label names. all: one line in total."
            " part: one line per task, with the time spent waiting, in the database, models, tools and the"
            " handler."
        ),
    ] = By.QUEUE,
    queue: Annotated[str | None, typer.Option(help="Only jobs of this queue.")] = None,
    task: Annotated[
        str | None,
        typer.Option(
            help="Only ended jobs of this task. The counts of jobs that have not ended include all tasks."
        ),
    ] = None,
    limit: Limit = 100,
    as_json: Json = False,
) -> None:
    """Also counts, for each queue, the jobs that have not ended."""
    span = parse_duration(since)
    match by:
        case By.MODEL | By.TOOL:
            _show_calls(context, span, CallsBy(by.value), queue, task, limit, as_json)
        case By.PART:
            parts = with_database(context, lambda database: stats.time_parts(database, span, queue, task))
            print_list(as_json, "parts", parts[:limit], PARTS, keep=[*PARTS][1:])
        case _:
            which = StatsBy(by.value)
            report = with_database(context, lambda database: _read(database, span, which, queue, task, limit))
            _print(report, since, as_json)


def keep_statistics(
    context: typer.Context,
    minutes: Annotated[
        str, typer.Argument(metavar="BY_MINUTE", help="How long to keep statistics by minute, such as 7d.")
    ],
    hours: Annotated[
        str, typer.Argument(metavar="BY_HOUR", help="How long to keep statistics by hour, such as 30d.")
    ],
    reason: Why,
) -> None:
    """Set how long to keep statistics.

    By default, statistics by minute are kept for 7 days, and those by hour for 30 days.
    """
    by_minute, by_hour = parse_duration(minutes), parse_duration(hours)
    with_database(
        context, lambda database: stats.keep_statistics(database, by_minute, by_hour, reason, actor())
    )
    tell(f"set: statistics are kept by minute for {minutes} and by hour for {hours}")


async def _read(
    database: Database, span: timedelta, by: StatsBy, queue: str | None, task: str | None, limit: int
) -> Report:
    ended = await stats.end_stats(database, span, by, queue, task)
    if queue is None:
        live = await queues.list_queues(database, limit + 1)
    else:
        live = await queues.named_queues(database, [queue])
    groups = await dead.letter_groups(database, {"queue": queue} if queue else {}, GROUPS)
    is_cut = len(groups) == GROUPS or any(group.is_partial for group in groups)
    return Report(ended[:limit], live[:limit], len(live) > limit, sum(group.open for group in groups), is_cut)


def _document(report: Report) -> dict[str, Any]:
    return {
        "ended": [one.document() for one in report.ended],
        "live": plain(report.live),
        "open_dead_letters": report.open_letters,
        "more_queues": report.has_more_queues,
        "more_open_dead_letters": report.has_more_letters,
    }


def _show_calls(
    context: typer.Context,
    span: timedelta,
    by: CallsBy,
    queue: str | None,
    task: str | None,
    limit: int,
    as_json: bool,
) -> None:
    calls = with_database(context, lambda database: stats.call_stats(database, span, by, queue, task))
    print_list(as_json, "calls", calls[:limit], CALLS, keep=[*CALLS][1:])
    if not as_json:
        _note_partial(calls)


def _print(report: Report, since: str, as_json: bool) -> None:
    if as_json:
        print_json(_document(report))
        return
    write(f"Ended in the last {since}:")
    print_table(
        ("name", "ended", "ok", "rej.", "dead", "retried", "/min", "wait 50", "95%", "run 50", "95%"),
        (_ended(one) for one in report.ended),
        keep=("ended", "ok", "rej.", "dead", "retried", "/min", "wait 50", "95%", "run 50"),
    )
    used = [one for one in report.ended if one.units or one.cost]
    if used:
        write("\nUsed:")
        print_list(False, "used", used, USED, keep=[*USED][1:])
    _note_partial(report.ended)
    write("\nLive now:")
    print_table(
        ("queue", "waiting", "scheduled", "ready", "running", "oldest"),
        (_live(one) for one in report.live),
        keep=("waiting", "scheduled", "ready", "running", "oldest"),
    )
    if report.has_more_queues:
        say(f"note: there are more than {len(report.live)} queues; --limit shows more, --queue a single one")
    if report.open_letters:
        count = f"{'more than ' if report.has_more_letters else ''}{report.open_letters}"
        letters = "dead job is" if count == "1" else "dead jobs are"
        say(f"note: {count} {letters} open; holdfast dead groups shows their errors")


def _note_partial(found: Sequence[EndStats] | Sequence[CallStats]) -> None:
    if any(one.is_partial for one in found):
        say(
            "note: these figures are too low, because only the newest 200,000 counts were read;"
            " --queue or a shorter --since reads all of them"
        )


def _ended(one: EndStats) -> tuple[object, ...]:
    return (
        one.name,
        one.jobs,
        _percent(one.success_rate),
        one.rejected,
        one.dead,
        _percent(one.retry_rate),
        f"{one.per_minute:.3g}",
        roughly(one.wait_p50),
        roughly(one.wait_p95),
        roughly(one.run_p50),
        roughly(one.run_p95),
    )


def _percent(share: float | None) -> str | None:
    return None if share is None else percent(share)


def _each(amount: float, jobs: int) -> str | None:
    return f"{amount / jobs:.4g}" if jobs else None


def _seconds(length: float) -> str:
    return roughly(timedelta(seconds=length))


USED: Columns[EndStats] = {
    "name": lambda one: one.name,
    "units": lambda one: f"{one.units:.4g}",
    "cost": lambda one: f"{one.cost:.4g}",
    "units each": lambda one: _each(one.units, one.jobs),
    "cost each": lambda one: _each(one.cost, one.jobs),
}
CALLS: Columns[CallStats] = {
    "name": lambda one: one.name,
    "calls": lambda one: one.calls,
    "errors": lambda one: one.errors,
    "units": lambda one: f"{one.units:.4g}",
    "cost": lambda one: f"{one.cost:.4g}",
    "mean": lambda one: roughly(one.mean),
    "50%": lambda one: roughly(one.p50),
    "95%": lambda one: roughly(one.p95),
}
PARTS: Columns[TimeParts] = {
    "task": lambda one: one.name,
    "attempts": lambda one: one.attempts,
    "waiting": lambda one: _seconds(one.waiting),
    "database": lambda one: _seconds(one.database),
    "model": lambda one: _seconds(one.model),
    "tool": lambda one: _seconds(one.tool),
    "handler": lambda one: _seconds(one.handler),
}


def _live(one: QueueSummary) -> tuple[object, ...]:
    shown = counts(one, ("waiting", "scheduled", "ready", "running"), one.more_than)
    return one.name, *shown, ago(one.oldest_ready)
