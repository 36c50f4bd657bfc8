"""`holdfast workers list` and `holdfast workers show`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json, Limit, identifier
from holdfast.cli.frame.render import Columns, ago, print_list, print_one
from holdfast.cli.frame.session import with_database
from holdfast.db import worker_list
from holdfast.model.id import WorkerId
from holdfast.model.worker import WorkerSummary

COLUMNS: Columns[WorkerSummary] = {
    "id": lambda worker: worker.id,
    "state": lambda worker: worker.state,
    "busy": lambda worker: f"{worker.running}/{worker.slots}",
    "done": lambda worker: worker.processed,
    "failed": lambda worker: worker.failed,
    "queues": lambda worker: ",".join(worker.queues),
    "host": lambda worker: f"{worker.host or '?'}:{worker.pid or '?'}",
    "seen": lambda worker: ago(worker.renewed_at),
}


def list_workers(
    context: typer.Context,
    everyone: Annotated[
        bool, typer.Option("--all", help="Also list workers that stopped or were lost recently.")
    ] = False,
    limit: Limit = 50,
    as_json: Json = False,
) -> None:
    """List live workers, the newest first."""
    found = with_database(
        context, lambda database: worker_list.list_workers(database, limit, live_only=not everyone)
    )
    print_list(as_json, "workers", found, COLUMNS, keep=("id", "state", "busy"))


def show_worker(
    context: typer.Context,
    worker: Annotated[
        str,
        typer.Argument(metavar="WORKER", help="The id of the worker, or the last 12 characters of the id."),
    ],
    as_json: Json = False,
) -> None:
    """Show one worker: its lease, job counts, time box and metadata."""
    known = WorkerId(identifier(worker, "worker"))
    found = with_database(context, lambda database: worker_list.require_worker(database, known))
    # A source without a number: the worker computes how many jobs it takes.
    size = found.claim_size or (found.claim_size_from and "auto")
    print_one(as_json, found, claim_size=size)
