"""`holdfast metrics report`, `reported` and `history`: figures from outside."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json, Limit, read_pair
from holdfast.cli.frame.render import Columns, ago, clock, number, print_list
from holdfast.cli.frame.session import with_database
from holdfast.db import metrics
from holdfast.model.duration import parse_duration
from holdfast.model.reported_metric import ReportedMetric, ReportedValue


def _labels(one: ReportedMetric | ReportedValue) -> str:
    return ",".join(f"{name}={value}" for name, value in one.labels.items())


COLUMNS: Columns[ReportedMetric] = {
    "name": lambda metric: metric.name,
    "value": lambda metric: number(metric.value),
    "reported": lambda metric: f"{ago(metric.reported_at)} ago",
    "labels": _labels,
}
HISTORY: Columns[ReportedValue] = {
    "minute": lambda one: clock(one.minute),
    "value": lambda one: number(one.value),
    "labels": _labels,
}


def report_metric(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The metric's name, such as model_server_load.")
    ],
    value: Annotated[float, typer.Argument(metavar="VALUE", help="The value, a finite number.")],
    labels: Annotated[
        list[str] | None, typer.Argument(metavar="LABEL=VALUE...", help="The labels, such as host=gpu1.")
    ] = None,
) -> None:
    """Store a metric of your own, such as the load of a model server.

    The last value of each minute is kept for 7 days. A metric can have at most 100 sets of labels.
    """
    found = dict(
        read_pair(pair, f"A label must be NAME=VALUE (got {pair!r}).", "write it as host=gpu1")
        for pair in labels or ()
    )
    with_database(context, lambda database: metrics.report_metric(database, name, value, found))


def list_reported(context: typer.Context, limit: Limit = 1000, as_json: Json = False) -> None:
    """List the metrics that your other systems report, each with its latest value."""
    found = with_database(context, lambda database: metrics.reported_metrics(database, limit))
    print_list(as_json, "metrics", found, COLUMNS, keep=("name", "value", "reported"))


def show_history(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The name under which the metric was reported.")
    ],
    since: Annotated[str, typer.Option(metavar="DURATION", help="How far to look back, at most 7d.")] = "1h",
    limit: Limit = 1000,
    as_json: Json = False,
) -> None:
    """Show the values of one of your own metrics, the oldest first.

    Shows the last value of each minute.
    """
    span = parse_duration(since)
    found = with_database(context, lambda database: metrics.metric_history(database, name, span, limit))
    print_list(as_json, "values", found, HISTORY, keep=("minute", "value"))
