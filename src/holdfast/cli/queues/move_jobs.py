"""`holdfast queues move`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json, actor
from holdfast.cli.frame.output import tell
from holdfast.cli.frame.render import print_json
from holdfast.cli.frame.session import with_database
from holdfast.client.move import move_in_steps
from holdfast.model.human_readable import counted

FromQueue = Annotated[str, typer.Argument(metavar="FROM", help="The queue that jobs leave.")]
ToQueue = Annotated[str, typer.Argument(metavar="TO", help="The queue that receives the jobs.")]


def move_jobs(
    context: typer.Context,
    source: FromQueue,
    to: ToQueue,
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="Record this reason in the audit trail.")
    ],
    limit: Annotated[int, typer.Option(min=1, help="Move at most this many jobs.")] = 1000,
    as_json: Json = False,
) -> None:
    """Move ready and scheduled jobs to another queue.

    Moves the jobs in the order in which they would have started. These jobs stay: running jobs, waiting
    jobs, jobs of pipelines, and suspects (jobs whose worker vanished while it ran them).
    """
    moved = with_database(
        context, lambda database: move_in_steps(database, source, to, limit, reason, actor())
    )
    if as_json:
        print_json({"from": source, "to": to, "ready": moved.ready, "scheduled": moved.scheduled})
    else:
        tell(f"moved: {counted(moved.total, 'job')} from {source} to {to}")
