"""`holdfast errors`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json, Limit
from holdfast.cli.frame.output import say
from holdfast.cli.frame.render import Columns, ago, count, error_words, print_list
from holdfast.cli.frame.session import with_database
from holdfast.db import stats
from holdfast.model.duration import parse_duration
from holdfast.model.stats import ErrorGroup

COLUMNS: Columns[ErrorGroup] = {
    "fingerprint": lambda one: one.fingerprint,
    "tries": lambda one: count(one.attempts, one.is_partial),
    "jobs": lambda one: count(one.jobs, one.is_partial),
    "last": lambda one: ago(one.last_at),
    "tasks": lambda one: ", ".join(one.tasks),
    "error": lambda one: error_words(one) or ", ".join(one.outcomes),
}


def show_errors(
    context: typer.Context,
    since: Annotated[str, typer.Option(metavar="DURATION", help="How far to look back.")] = "1h",
    queue: Annotated[str | None, typer.Option(help="Only attempts of jobs of this queue.")] = None,
    task: Annotated[str | None, typer.Option(help="Only attempts of jobs of this task.")] = None,
    limit: Limit = 20,
    as_json: Json = False,
) -> None:
    """Counts attempts that failed, timed out or lost their worker. The most frequent error comes first."""
    asked = {"queue": queue, "task": task}
    filters = {name: value for name, value in asked.items() if value is not None}
    span = parse_duration(since)
    found = with_database(context, lambda database: stats.recent_errors(database, span, filters, limit))
    print_list(as_json, "errors", found, COLUMNS, keep=("fingerprint", "tries", "jobs", "last"))
    if any(one.is_partial for one in found) and not as_json:
        say("note: more than 100,000 attempts went wrong; the newest 100,000 are counted")
