"""`holdfast queues depth`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json
from holdfast.cli.frame.render import Columns, clock, print_list, roughly
from holdfast.cli.frame.session import with_database
from holdfast.db import depths
from holdfast.model.depth import DepthSample
from holdfast.model.duration import parse_duration

COLUMNS: Columns[DepthSample] = {
    "minute": lambda sample: clock(sample.minute),
    "queue": lambda sample: sample.queue,
    "waiting": lambda sample: f"{sample.waiting:,}",
    "scheduled": lambda sample: f"{sample.scheduled:,}",
    "ready": lambda sample: f"{sample.ready:,}",
    "running": lambda sample: f"{sample.running:,}",
    "oldest": lambda sample: roughly(sample.oldest_age),
}


def show_depth(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The queue's name. By default all queues.")
    ] = None,
    since: Annotated[str, typer.Option(metavar="DURATION", help="How far to look back.")] = "1h",
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Show at most this many rows.")] = 10_000,
    as_json: Json = False,
) -> None:
    """Show how many unfinished jobs a queue had, by minute.

    The counts are exact. By default, they are kept by minute for 7 days and by hour for 30 days. A queue
    that stays empty gets no further rows.
    """
    span = parse_duration(since)
    found = with_database(context, lambda database: depths.depth_history(database, span, name, limit))
    print_list(as_json, "samples", found, COLUMNS, keep=[*COLUMNS])
