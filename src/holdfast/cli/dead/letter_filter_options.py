"""The options that say which dead letters a command means: by job, or all that match a filter."""

from collections.abc import Iterable
from typing import Annotated

import typer

from holdfast.cli.frame.common_options import duration, identifier, read_job_id
from holdfast.client.filters import LetterFilter
from holdfast.model.dead_letter import Triage
from holdfast.model.error import InvalidOption
from holdfast.model.id import JobId

All = Annotated[
    bool, typer.Option("--all", help="Select all dead jobs. Cannot be combined with ids or filters.")
]
Jobs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="JOB...",
        help="The ids of dead jobs. Instead of ids, you can give filters, such as --queue, or --all.",
    ),
]


def letter_filter(
    queue: Annotated[str | None, typer.Option(help="Only dead jobs of this queue.")] = None,
    task: Annotated[str | None, typer.Option(help="Only dead jobs of this task.")] = None,
    run: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Only dead jobs of the run (a batch of jobs) with this id."),
    ] = None,
    fingerprint: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="Only dead jobs whose error has this fingerprint. Errors with the same cause have the "
            "same fingerprint.",
        ),
    ] = None,
    error: Annotated[
        str | None,
        typer.Option(
            metavar="TYPE", help="Only dead jobs whose last error has this type, such as ValueError."
        ),
    ] = None,
    status: Annotated[Triage | None, typer.Option(help="Only dead jobs with this status.")] = None,
    assignee: Annotated[str | None, typer.Option(help="Only dead jobs assigned to this person.")] = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="DURATION", help="Only jobs that died within the last DURATION, such as 1h."),
    ] = None,
) -> LetterFilter:
    """A set of options."""
    asked = LetterFilter(
        queue=queue,
        task=task,
        run=None if run is None else identifier(run, "run"),
        fingerprint=fingerprint,
        error_type=error,
        status=status,
        assignee=assignee,
        since=duration(since),
    )
    return asked if any(value is not None for value in asked.values()) else LetterFilter()


def chosen_jobs(ids: Iterable[str] | None, filters: LetterFilter, everything: bool) -> list[JobId]:
    """The jobs that were named; none where the filter is meant. Never both, never neither."""
    chosen = [read_job_id(one) for one in ids or ()]
    ways = [bool(chosen), bool(filters), everything]
    if sum(ways) > 1:
        raise InvalidOption(
            "The dead jobs are chosen in more than one way.", "give only ids, only filters, or only --all"
        )
    if not any(ways):
        raise InvalidOption(
            "No dead jobs are chosen.",
            "give ids of jobs, or filters (--fingerprint, --queue, --task, --run, --error, --since), or "
            "--all",
        )
    return chosen
