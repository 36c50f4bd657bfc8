"""`holdfast metrics keep`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import actor
from holdfast.cli.frame.output import tell
from holdfast.cli.frame.session import with_database
from holdfast.cli.jobs.operator_actions import Why
from holdfast.db import depths
from holdfast.model.duration import parse_duration


def keep_statistics(
    context: typer.Context,
    reason: Why,
    minutes: Annotated[
        str, typer.Option(metavar="DURATION", help="Keep the figures of each minute for this long.")
    ] = "7d",
    hours: Annotated[
        str, typer.Option(metavar="DURATION", help="Then keep those of each hour, in all for this long.")
    ] = "30d",
) -> None:
    """Set how long the depth of queues and the counts of workers that left are kept."""
    lengths = parse_duration(minutes), parse_duration(hours)
    with_database(context, lambda database: depths.keep_statistics(database, *lengths, reason, actor()))
    tell(f"set: figures of each minute are kept for {minutes}, those of each hour for {hours}")
