"""`holdfast metrics`: the database's metrics as Prometheus text."""

from typing import Annotated

import typer

from holdfast.cli.frame.output import write
from holdfast.cli.frame.session import with_database
from holdfast.client.database_metrics import MAX_SERIES, database_metrics


def print_metrics(
    context: typer.Context,
    max_series: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Print at most this many series: the largest queues and endpoints, histograms last."
            " The metric holdfast_series_left_out counts the rest.",
        ),
    ] = MAX_SERIES,
) -> None:
    """Without a command, prints the figures of the database in the text format of Prometheus.

    It reads lasting totals and samples, never history, so that it costs the same however many jobs have
    ended. Needs the role holdfast_viewer.
    """
    if context.invoked_subcommand is None:
        text = with_database(context, lambda database: database_metrics(database, max_series))
        write(text.removesuffix("\n"))
