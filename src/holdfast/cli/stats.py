"""`holdfast stats`."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from holdfast.cli.options import Json
from holdfast.cli.output import say, write
from holdfast.cli.render import ago, percent, plain, print_json, print_table, roughly
from holdfast.cli.session import with_database
from holdfast.db import dead, queues, stats
from holdfast.db.connect import Database
from holdfast.model.duration import parse_duration
from holdfast.model.queue import QueueSummary
from holdfast.model.stats import EndStats, StatsBy


def register(app: typer.Typer, name: str, text: str) -> None:
    app.command(name, help=text)(show_stats)


@dataclass(frozen=True, slots=True)
class Report:
    """What ended in a span of time, what is live now, and how many dead letters are open."""

    ended: list[EndStats]
    live: list[QueueSummary]
    open_letters: int


def show_stats(
    context: typer.Context,
    since: Annotated[str, typer.Option(help="How far back, up to 7d.")] = "1h",
    by: Annotated[StatsBy, typer.Option(help="One line for each.")] = StatsBy.QUEUE,
    queue: Annotated[str | None, typer.Option(help="Only this queue.")] = None,
    task: Annotated[str | None, typer.Option(help="Only what ended of this task.")] = None,
    as_json: Json = False,
) -> None:
    """What ended, as it was counted minute by minute, and what is live now."""
    span = parse_duration(since)

    async def read(database: Database) -> Report:
        ended = await stats.end_stats(database, span, by, queue, task)
        live = [one for one in await queues.list_queues(database) if queue in (None, one.name)]
        groups = await dead.letter_groups(database, {"queue": queue} if queue else {}, 1000)
        return Report(ended, live, sum(group.open for group in groups))

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
    if report.open_letters:
        say(f"note: {report.open_letters} dead letters are open; holdfast dead groups shows of what")


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
    return one.name, one.waiting, one.scheduled, one.ready, one.running, ago(one.oldest_ready)
