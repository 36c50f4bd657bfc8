"""`holdfast dead`: what died, and of what."""

from typing import Annotated

import typer

from holdfast.cli import dead_replay, dead_triage
from holdfast.cli.letter_filter import LetterFilter, every_letter, letter_filter
from holdfast.cli.letter_sheet import document, print_letter
from holdfast.cli.option_set import takes
from holdfast.cli.options import Json, Limit, identifier
from holdfast.cli.output import say, write
from holdfast.cli.render import ago, counts, json_text, print_json, print_table
from holdfast.cli.session import with_database
from holdfast.db import dead
from holdfast.db.connect import Database
from holdfast.model.dead_letter import DeadLetter, LetterGroup
from holdfast.model.error import NotFound
from holdfast.model.id import JobId

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
dead_triage.register(app)
dead_replay.register(app)


def register(root: typer.Typer, name: str, text: str) -> None:
    root.add_typer(app, name=name, help=text)


@app.command("list")
@takes(filters=letter_filter)
def list_letters(
    context: typer.Context, filters: LetterFilter, limit: Limit = 50, as_json: Json = False
) -> None:
    """Dead jobs, the latest death first."""
    found = with_database(context, lambda database: _newest(database, filters, limit))
    if as_json:
        print_json({"letters": found})
        return
    print_table(
        ("job", "task", "status", "assignee", "age", "error"),
        ((one.job, one.task, one.status, one.assignee, ago(one.died_at), _error(one)) for one in found),
        keep=("job", "status", "age"),
    )


@app.command("groups")
@takes(filters=letter_filter)
def list_groups(
    context: typer.Context, filters: LetterFilter, limit: Limit = 50, as_json: Json = False
) -> None:
    """Dead jobs with the same error together, the largest group first."""
    found = with_database(context, lambda database: _groups(database, filters, limit))
    if as_json:
        print_json({"groups": found})
        return
    print_table(
        ("fingerprint", "dead", "open", "hour", "last", "tasks", "error"),
        (_group_row(one) for one in found),
        keep=("fingerprint", "dead", "open", "hour", "last"),
    )
    if any(group.is_partial for group in found):
        say("note: there are more than 100,000 dead letters; the newest 100,000 are counted")


@app.command("show")
def show_letter(
    context: typer.Context,
    job: Annotated[str, typer.Argument(metavar="JOB", help="The job's id.")],
    as_json: Json = False,
) -> None:
    """One dead letter with its payload, error history and notes, also after a replay."""
    job_id = JobId(identifier(job))
    sheet = with_database(context, lambda database: dead.get_sheet(database, job_id))
    if sheet is None:
        raise NotFound(
            f"The job {job} has no dead letter.", "only a job that died has one: holdfast dead list"
        )
    if as_json:
        print_json(document(sheet))
    else:
        print_letter(sheet)


@app.command("export")
@takes(filters=letter_filter)
def export_letters(context: typer.Context, filters: LetterFilter) -> None:
    """Dead letters as JSON lines, each with its payload, labels, attempts and notes."""
    count = with_database(context, lambda database: _export(database, filters))
    say(f"{count} exported")


async def _newest(database: Database, filters: LetterFilter, limit: int) -> list[DeadLetter]:
    found: list[DeadLetter] = []
    async for letter in every_letter(database, await filters.wire(database)):
        if len(found) == limit:
            break
        found.append(letter)
    return found


async def _groups(database: Database, filters: LetterFilter, limit: int) -> list[LetterGroup]:
    return await dead.letter_groups(database, await filters.wire(database), limit)


async def _export(database: Database, filters: LetterFilter) -> int:
    count = 0
    async for letter in every_letter(database, await filters.wire(database)):
        sheet = await dead.get_sheet(database, letter.job)
        if sheet is not None:  # else pruned since the page was read
            write(json_text(document(sheet)))
            count += 1
    return count


def _error(one: DeadLetter | LetterGroup) -> str:
    return ": ".join(part for part in (one.error_type, one.message) if part) or _reasons(one)


def _reasons(one: DeadLetter | LetterGroup) -> str:
    return one.reason if isinstance(one, DeadLetter) else ", ".join(one.reasons)


def _group_row(one: LetterGroup) -> tuple[object, ...]:
    names = ("letters", "open", "last_hour")
    shown = counts(one, names, names if one.is_partial else ())
    return one.fingerprint, *shown, ago(one.last_at), ", ".join(one.tasks), _error(one)
