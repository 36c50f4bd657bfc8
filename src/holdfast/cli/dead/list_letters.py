"""`holdfast dead list` and `holdfast dead groups`."""

import typer

from holdfast.cli.dead.letter_filter_options import letter_filter
from holdfast.cli.frame.common_options import Json, Limit
from holdfast.cli.frame.option_groups import takes
from holdfast.cli.frame.output import say
from holdfast.cli.frame.render import Columns, ago, count, error_words, print_list
from holdfast.cli.frame.session import with_database
from holdfast.client.dead import newest_letters
from holdfast.client.filters import LetterFilter, letter_wire
from holdfast.db import dead
from holdfast.db.connect import Database
from holdfast.model.dead_letter import DeadLetter, LetterGroup

LETTERS: Columns[DeadLetter] = {
    "job": lambda one: one.job,
    "task": lambda one: one.task,
    "status": lambda one: one.status,
    "assignee": lambda one: one.assignee,
    "age": lambda one: ago(one.died_at),
    "error": lambda one: error_words(one) or one.reason,
}
GROUPS: Columns[LetterGroup] = {
    "fingerprint": lambda one: one.fingerprint,
    "dead": lambda one: count(one.letters, one.is_partial),
    "open": lambda one: count(one.open, one.is_partial),
    "hour": lambda one: count(one.last_hour, one.is_partial),
    "last": lambda one: ago(one.last_at),
    "tasks": lambda one: ", ".join(one.tasks),
    "error": lambda one: error_words(one) or ", ".join(one.reasons),
}


@takes(filters=letter_filter)
def list_letters(
    context: typer.Context, filters: LetterFilter, limit: Limit = 50, as_json: Json = False
) -> None:
    """List dead jobs, the most recent first."""
    found = with_database(context, lambda database: newest_letters(database, filters, limit))
    print_list(as_json, "letters", found, LETTERS, keep=("job", "status", "age"))


@takes(filters=letter_filter)
def list_groups(
    context: typer.Context, filters: LetterFilter, limit: Limit = 50, as_json: Json = False
) -> None:
    """Group dead jobs by error, the largest group first.

    Also prints the fingerprint of each error, for the option --fingerprint of other commands.
    """
    found = with_database(context, lambda database: _groups(database, filters, limit))
    print_list(as_json, "groups", found, GROUPS, keep=("fingerprint", "dead", "open", "hour", "last"))
    if any(group.is_partial for group in found) and not as_json:
        say("note: there are more than 100,000 dead jobs; only the newest 100,000 are counted")


async def _groups(database: Database, filters: LetterFilter, limit: int) -> list[LetterGroup]:
    return await dead.letter_groups(database, await letter_wire(database, filters), limit)
