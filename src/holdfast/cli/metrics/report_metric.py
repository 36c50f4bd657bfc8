"""`holdfast metrics report` and `holdfast metrics reported`: figures from outside."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json, Limit, read_pair
from holdfast.cli.frame.render import Columns, ago, number, print_list
from holdfast.cli.frame.session import with_database
from holdfast.db import metrics
from holdfast.model.reported_metric import ReportedMetric

COLUMNS: Columns[ReportedMetric] = {
    "name": lambda metric: metric.name,
    "value": lambda metric: number(metric.value),
    "reported": lambda metric: f"{ago(metric.reported_at)} ago",
    "labels": lambda metric: ",".join(f"{name}={value}" for name, value in metric.labels.items()),
}


def report_metric(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Such as model_server_load.")],
    value: Annotated[float, typer.Argument(metavar="VALUE", help="A finite number.")],
    labels: Annotated[
        list[str] | None, typer.Argument(metavar="[LABEL=VALUE]...", help="Such as host=gpu1.")
    ] = None,
) -> None:
    """Store a figure from outside, such as the load of a model server.

    Only the latest value of each name and set of labels is kept, and at most 100 sets per name.
    """
    found = dict(
        read_pair(pair, f"A label must be NAME=VALUE (got {pair!r}).", "write it as host=gpu1")
        for pair in labels or ()
    )
    with_database(context, lambda database: metrics.report_metric(database, name, value, found))


def list_reported(context: typer.Context, limit: Limit = 1000, as_json: Json = False) -> None:
    """List the figures from outside, each with its latest value."""
    found = with_database(context, lambda database: metrics.reported_metrics(database, limit))
    print_list(as_json, "metrics", found, COLUMNS, keep=("name", "value", "reported"))
