"""`holdfast workers recommend`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json
from holdfast.cli.frame.render import ago, print_one
from holdfast.cli.frame.session import with_database
from holdfast.db import worker_needs
from holdfast.model.duration import parse_duration


def recommend_workers(
    context: typer.Context,
    queue: Annotated[str, typer.Argument(help="The queue's name.")],
    target: Annotated[
        str,
        typer.Option(metavar="DURATION", help="The longest time that a job should wait before it starts."),
    ] = "30s",
    ahead: Annotated[str, typer.Option(metavar="DURATION", help="How far to plan ahead.")] = "10m",
    slots: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Assume this many slots (concurrent jobs) per worker. By default as many as the live "
            "workers have.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Recommend how many workers a queue needs.

    The answer depends on how many jobs arrive now, how many arrived on previous days, and how long jobs take.
    """
    found = with_database(
        context,
        lambda database: worker_needs.recommended_workers(
            database, queue, parse_duration(target), parse_duration(ahead), slots
        ),
    )
    age = f" (counted {ago(found.sampled_at)} ago)" if found.sampled_at else ""
    print_one(as_json, found, ready=f"{found.ready:,}{age}", sampled_at=None)
