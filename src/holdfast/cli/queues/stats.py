"""`holdfast stats`."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from holdfast.cli.frame.common_options import Json, Limit
from holdfast.cli.frame.output import say, write
from holdfast.cli.frame.render import ago, counts, percent, print_json, print_table, roughly
from holdfast.cli.frame.session import with_database
from holdfast.db import dead, queues, stats
from holdfast.db.connect import Database
from holdfast.model.duration import parse_duration
from holdfast.model.json_document import plain
from holdfast.model.queue import QueueSummary
from holdfast.model.stats import EndStats, StatsBy

GROUPS = 1000  # of dead letters, whose open ones are counted


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
        str, typer.Option(metavar="DURATION", help="How far to look back for ended jobs, at most 7d.")
    ] = "1h",
    by: Annotated[
        StatsBy, typer.Option(help="Print one line per queue, task or hour, or one line for all.")
    ] = StatsBy.QUEUE,
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

    async def read(database: Database) -> Report:
        ended = await stats.end_stats(database, span, by, queue, task)
        if queue is None:
            live = await queues.list_queues(database, limit + 1)
        else:
            live = await queues.named_queues(database, [queue])
        groups = await dead.letter_groups(database, {"queue": queue} if queue else {}, GROUPS)
        is_cut = len(groups) == GROUPS or any(group.is_partial for group in groups)
        return Report(
            ended[:limit], live[:limit], len(live) > limit, sum(group.open for group in groups), is_cut
        )

    report = with_database(context, read)
    if as_json:
        print_json(_document(report))
    else:
        _print(report, since)


def _document(report: Report) -> dict[str, Any]:
    return {
        "ended": [
            {
                **plain(one),
                "success_rate": one.success_rate,
                "retry_rate": one.retry_rate,
                "retry_success_rate": one.retry_success_rate,
            }
            for one in report.ended
        ],
        "live": plain(report.live),
        "open_dead_letters": report.open_letters,
        "more_queues": report.has_more_queues,
        "more_open_dead_letters": report.has_more_letters,
    }


def _print(report: Report, since: str) -> None:
    write(f"Ended in the last {since}:")
    print_table(
        ("name", "ended", "ok", "dead", "retried", "/min", "wait 50", "95%", "run 50", "95%"),
        (_ended(one) for one in report.ended),
        keep=("ended", "ok", "dead", "retried", "/min", "wait 50", "95%", "run 50"),
    )
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


def _ended(one: EndStats) -> tuple[object, ...]:
    return (
        one.name,
        one.jobs,
        percent(one.success_rate),
        one.dead,
        percent(one.retry_rate),
        f"{one.per_minute:.3g}",
        roughly(one.wait_p50),
        roughly(one.wait_p95),
        roughly(one.run_p50),
        roughly(one.run_p95),
    )


def _live(one: QueueSummary) -> tuple[object, ...]:
    shown = counts(one, ("waiting", "scheduled", "ready", "running"), one.more_than)
    return one.name, *shown, ago(one.oldest_ready)
