"""`holdfast jobs reclaim`, `complete`, `fail` and `set-priority`: an operator changes live jobs."""

from typing import Annotated

import typer

from holdfast.cli.frame.bulk_action import Manner, act_on_jobs, manner_of
from holdfast.cli.frame.common_options import Json, actor
from holdfast.cli.frame.option_groups import takes
from holdfast.cli.jobs.job_filter_options import Filters, Ids, filters_of, running_filters_of, select
from holdfast.db import operator
from holdfast.model.error import InvalidOption
from holdfast.model.payload import JsonText, encode, read
from holdfast.model.state import LIVE, State

Why = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Record this reason in the audit trail.")]


@takes(filters=running_filters_of, manner=manner_of)
def reclaim_jobs(
    context: typer.Context,
    filters: Filters,
    manner: Manner,
    reason: Why,
    ids: Ids = None,
    as_json: Json = False,
) -> None:
    """Take running jobs away from their workers.

    The jobs become ready to run again. The database refuses later writes of the old handlers.
    """
    act_on_jobs(
        context,
        "reclaim",
        select(ids, filters, {State.RUNNING}),
        lambda database, batch: operator.reclaim(database, batch, reason, actor()),
        manner,
        as_json,
    )


@takes(filters=running_filters_of, manner=manner_of)
def complete_jobs(
    context: typer.Context,
    filters: Filters,
    manner: Manner,
    reason: Why,
    ids: Ids = None,
    output: Annotated[
        str | None, typer.Option(metavar="JSON", help="The output to store with each job.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Mark unfinished jobs as completed. Use this if the work was done elsewhere."""
    left = _output(output)
    act_on_jobs(
        context,
        "complete",
        select(ids, filters, LIVE),
        lambda database, batch: operator.complete_as_operator(database, batch, left, reason, actor()),
        manner,
        as_json,
    )


@takes(filters=running_filters_of, manner=manner_of)
def fail_jobs(
    context: typer.Context,
    filters: Filters,
    manner: Manner,
    reason: Why,
    ids: Ids = None,
    as_json: Json = False,
) -> None:
    """Turn unfinished jobs into dead jobs. To list or replay dead jobs, use 'holdfast dead'."""
    act_on_jobs(
        context,
        "fail",
        select(ids, filters, LIVE),
        lambda database, batch: operator.fail_as_operator(database, batch, reason, actor()),
        manner,
        as_json,
    )


@takes(filters=filters_of, manner=manner_of)
def set_priority(
    context: typer.Context,
    filters: Filters,
    manner: Manner,
    to: Annotated[
        int,
        typer.Argument(
            min=0,
            max=100,
            metavar="PRIORITY",
            help="The new priority, 0 to 100. Jobs with a higher priority run first.",
        ),
    ],
    reason: Why,
    ids: Ids = None,
    as_json: Json = False,
) -> None:
    """Change the priority of jobs that have not ended.

    A ready job is placed behind the jobs that already have the new priority.
    """
    act_on_jobs(
        context,
        "change",
        select(ids, filters, LIVE),
        lambda database, batch: operator.set_priority(database, batch, to, reason, actor()),
        manner,
        as_json,
    )


def _output(text: str | None) -> JsonText | None:
    if text is None:
        return None
    try:
        return encode(read(text))
    except ValueError:
        raise InvalidOption(
            f"--output must be JSON (got {text!r}).",
            "a string needs double quotes inside the quotes of the shell: --output '\"done\"'",
        ) from None
