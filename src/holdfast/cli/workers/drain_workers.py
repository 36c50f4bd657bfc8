"""`holdfast workers drain`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Reason, actor, identifier
from holdfast.cli.frame.output import say, write
from holdfast.cli.frame.session import with_database
from holdfast.db import worker_list
from holdfast.model.id import WorkerId


def drain_workers(
    context: typer.Context,
    workers: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WORKER...", help="The ids of the workers. Instead of ids, you can give --group."
        ),
    ] = None,
    group: Annotated[str | None, typer.Option(help="Select all workers of this group.")] = None,
    reason: Reason = None,
) -> None:
    """Ask workers to finish their jobs and exit. Workers see the request at their next heartbeat."""
    ids = None if not workers else [WorkerId(identifier(text, "worker")) for text in workers]
    asked = with_database(
        context,
        lambda database: worker_list.drain_workers(database, ids, group, reason or "", actor()),
    )
    for worker in asked:
        write(f"{worker} asked to drain")
    if not asked:
        say("note: no live worker matches")
