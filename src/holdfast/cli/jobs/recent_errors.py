"""`holdfast errors`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json, Limit
from holdfast.cli.frame.output import say
from holdfast.cli.frame.render import Columns, ago, count, error_words, print_json, print_list
from holdfast.cli.frame.session import with_database
from holdfast.client.errors import read_errors
from holdfast.db.connect import Database
from holdfast.model.stats import ErrorGroup, ErrorPage

COLUMNS: Columns[ErrorGroup] = {
    "fingerprint": lambda one: one.fingerprint,
    "tries": lambda one: count(one.attempts, one.is_partial),
    "before": lambda one: count(one.before, one.is_partial),
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
    stage: Annotated[str | None, typer.Option(help="Only attempts at this stage of a pipeline.")] = None,
    text: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="Only errors with this text in their type, message or place in the code."
        ),
    ] = None,
    limit: Limit = 20,
    skip: Annotated[
        int, typer.Option(min=0, max=10_000, help="Leave out this many of the most frequent errors.")
    ] = 0,
    as_json: Json = False,
) -> None:
    """Counts attempts that failed, timed out or lost their worker. The most frequent error comes first.

    The column "before" counts the attempts in the previous period of the same length.
    """

    async def read(database: Database) -> ErrorPage:
        return await read_errors(database, since, limit, skip, queue=queue, task=task, stage=stage, text=text)

    found = with_database(context, read)
    if as_json:
        print_json({"errors": found.items, "total": found.total})
        return
    print_list(False, "errors", found.items, COLUMNS, keep=("fingerprint", "tries", "before", "jobs", "last"))
    if found.total.is_partial:
        say("note: more than 100,000 attempts went wrong; the newest 100,000 are counted")
    if found.total.groups > skip + len(found.items):
        say(f"note: there are {found.total.groups:,} groups; --limit shows more, --skip the next ones")
