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
            help="Print at most this many series. The largest queues and endpoints come first, histograms"
            " last. The metric holdfast_series_left_out counts the series that are left out.",
        ),
    ] = MAX_SERIES,
) -> None:
    """'holdfast metrics' alone prints the metrics of the database in the text format of Prometheus.

    The metrics come from stored totals, so they are quick to read however many jobs have ended. Needs the
    database role holdfast_viewer.
    """
    if context.invoked_subcommand is None:
        text = with_database(context, lambda database: database_metrics(database, max_series))
        write(text.removesuffix("\n"))
