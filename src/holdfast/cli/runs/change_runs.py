"""`holdfast runs start`, `seal`, `raise-budget` and `extend`."""

from typing import Annotated, Any

import typer

from holdfast.cli.frame.common_options import (
    GivenActor,
    GivenOrigin,
    Labels,
    OneRun,
    Reason,
    labels,
    read_run_id,
)
from holdfast.cli.frame.common_options import actor as own_name
from holdfast.cli.frame.output import write
from holdfast.cli.frame.session import with_database
from holdfast.db import runs
from holdfast.model.duration import parse_duration
from holdfast.model.error import InvalidOption
from holdfast.model.human_readable import counted

MaxUnits = Annotated[
    float | None,
    typer.Option(min=0, help="The most units, such as tokens, that all jobs of the run together may use."),
]


def start_run(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The name of the run. Several runs can have the same name.")],
    label: Labels = None,
    budget: Annotated[
        str | None,
        typer.Option(metavar="MONEY", help="The most that the whole run may cost, such as '5 USD'."),
    ] = None,
    max_units: MaxUnits = None,
    origin: GivenOrigin = "manual",
    actor: GivenActor = None,
) -> None:
    """Start a run (a batch of jobs) and print its id.

    Add jobs with 'holdfast enqueue --run ID'. Then seal the run with 'holdfast runs seal', so that it can
    end.
    """
    options: dict[str, Any] = {"origin": origin, "actor": actor or own_name()}
    if label is not None:
        options["labels"] = labels(label)
    if budget is not None:
        options["budget"] = budget
    if max_units is not None:
        options["max_units"] = max_units
    write(str(with_database(context, lambda database: runs.start_run(database, name, options))))


def seal_run(context: typer.Context, run: OneRun) -> None:
    """Seal a run: accept no more jobs in it. Only a sealed run can end."""
    run_id = read_run_id(run)
    ended = with_database(context, lambda database: runs.seal_run(database, run_id))
    write(f"{run} {'ended' if ended else 'sealed'}")


def raise_budget(
    context: typer.Context,
    run: OneRun,
    amount: Annotated[
        float | None,
        typer.Argument(
            help="The new total budget of the run, such as 8: the total, not the increase. What the run has "
            "cost so far counts towards it."
        ),
    ] = None,
    max_units: MaxUnits = None,
    reason: Reason = None,
) -> None:
    """Raise the budget of a run. Jobs that wait because the budget is used up can then start."""
    if amount is None and max_units is None:
        raise InvalidOption(
            f"No new budget is given for the run {run}.",
            f"use 'holdfast runs raise-budget {run} AMOUNT', or add --max-units N",
        )
    run_id = read_run_id(run)
    count = with_database(
        context, lambda database: runs.raise_budget(database, run_id, amount, reason, own_name(), max_units)
    )
    write(f"{run} {counted(count, 'job')} continue")


def extend_run(
    context: typer.Context,
    run: OneRun,
    by: Annotated[
        str,
        typer.Option(
            metavar="DURATION",
            help="How much time to add, such as 2h. If the time limit has passed, the added time counts from "
            "now.",
        ),
    ],
    reason: Reason = None,
) -> None:
    """Extend the time limit of a run (max_time). Jobs that wait because of the limit can then start."""
    run_id, more = read_run_id(run), parse_duration(by)
    count = with_database(
        context, lambda database: runs.extend_run(database, run_id, more, reason, own_name())
    )
    write(f"{run} {counted(count, 'job')} continue")
