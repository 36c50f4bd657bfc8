"""`holdfast errors`."""

from typing import Annotated

import typer

from holdfast.cli.options import Json, Limit
from holdfast.cli.output import say
from holdfast.cli.render import ago, counts, print_json, print_table
from holdfast.cli.session import with_database
from holdfast.db import stats
from holdfast.model.duration import parse_duration
from holdfast.model.stats import ErrorGroup


def register(app: typer.Typer, name: str, text: str) -> None:
    app.command(name, help=text)(show_errors)


def show_errors(
    context: typer.Context,
    since: Annotated[str, typer.Option(help="How far back.")] = "1h",
    queue: Annotated[str | None, typer.Option(help="Only attempts of this queue.")] = None,
    task: Annotated[str | None, typer.Option(help="Only attempts of this task.")] = None,
    limit: Limit = 20,
    as_json: Json = False,
) -> None:
    """Attempts that failed, timed out or were lost, the most frequent error first."""
    asked = {"queue": queue, "task": task}
    filters = {name: value for name, value in asked.items() if value is not None}
    span = parse_duration(since)
    found = with_database(context, lambda database: stats.recent_errors(database, span, filters, limit))
    if as_json:
        print_json({"errors": found})
        return
    print_table(
        ("fingerprint", "tries", "jobs", "last", "tasks", "error"),
        (_row(one) for one in found),
        keep=("fingerprint", "tries", "jobs", "last"),
    )
    if any(one.is_partial for one in found):
        say("note: more than 100,000 attempts went wrong; the newest 100,000 are counted")


def _row(one: ErrorGroup) -> tuple[object, ...]:
    error = ": ".join(part for part in (one.error_type, one.message) if part)
    return (
        one.fingerprint,
        *counts(one, ("attempts", "jobs"), ("attempts", "jobs") if one.is_partial else ()),
        ago(one.last_at),
        ", ".join(one.tasks),
        error or ", ".join(one.outcomes),
    )
