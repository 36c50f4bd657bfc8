"""`holdfast workers left`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json
from holdfast.cli.frame.render import Columns, clock, print_list, roughly
from holdfast.cli.frame.session import with_database
from holdfast.db import worker_list
from holdfast.model.duration import parse_duration
from holdfast.model.worker import LeftWorkers

COLUMNS: Columns[LeftWorkers] = {
    "hour": lambda left: clock(left.hour),
    "group": lambda left: left.group,
    "workers": lambda left: left.workers,
    "stopped": lambda left: left.stopped,
    "drained": lambda left: left.drained,
    "done": lambda left: left.done,
    "box": lambda left: left.time_box,
    "lost": lambda left: left.lost,
    "life 50": lambda left: roughly(left.life_p50),
    "95%": lambda left: roughly(left.life_p95),
    "processed": lambda left: f"{left.processed:,}",
    "failed": lambda left: f"{left.failed:,}",
}


def show_left(
    context: typer.Context,
    since: Annotated[str, typer.Option(metavar="DURATION", help="How far to look back.")] = "1d",
    group: Annotated[str | None, typer.Option(help="Only workers of this group.")] = None,
    as_json: Json = False,
) -> None:
    """Count the workers that stopped or were lost, by hour and group.

    Also shows how they ended, how long they lived, and how many jobs they processed.
    """
    span = parse_duration(since)
    found = with_database(context, lambda database: worker_list.left_workers(database, span, group))
    print_list(as_json, "hours", found, COLUMNS, keep=[name for name in COLUMNS if name != "group"])
