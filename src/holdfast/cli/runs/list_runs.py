"""`holdfast runs list`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import (
    Json,
    Limit,
)
from holdfast.cli.frame.render import Columns, ago, print_list
from holdfast.cli.frame.session import with_database
from holdfast.db import runs
from holdfast.model.run_progress import RunSummary

COLUMNS: Columns[RunSummary] = {
    "id": lambda run: run.id,
    "name": lambda run: run.name,
    "state": lambda run: run.state,
    "done": lambda run: f"{run.completed + run.rejected + run.cancelled + run.dead}/{run.total}",
    "dead": lambda run: run.dead,
    "age": lambda run: ago(run.created_at),
}


def list_runs(
    context: typer.Context,
    origin: Annotated[
        str | None, typer.Option(help="Only runs with this origin, such as manual or scheduled.")
    ] = None,
    actor: Annotated[
        str | None,
        typer.Option(
            help="Only runs with this name as their actor (see 'holdfast runs start --actor') or as the "
            "database login that started them."
        ),
    ] = None,
    limit: Limit = 50,
    as_json: Json = False,
) -> None:
    """List runs (batches of jobs), the newest first."""
    found = with_database(context, lambda database: runs.list_runs(database, limit, origin, actor))
    print_list(as_json, "runs", found, COLUMNS, keep=("id", "state", "done", "dead", "age"))
