"""`holdfast dead note`, `assign` and `resolve`: who looks into which letters, and what was found."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated

import typer

from holdfast.cli.bulk import preview
from holdfast.cli.letter_filter import (
    All,
    Jobs,
    LetterFilter,
    chosen_jobs,
    every_letter,
    letter_filter,
)
from holdfast.cli.option_set import takes
from holdfast.cli.options import DryRun, Json, Reason, Yes, actor
from holdfast.cli.output import write
from holdfast.cli.render import print_json
from holdfast.cli.selection import confirm
from holdfast.cli.session import with_database
from holdfast.db import dead
from holdfast.db.connect import Database
from holdfast.model.dead_letter import DeadLetter, Triage
from holdfast.model.error import NotFound
from holdfast.model.id import JobId

BATCH = 1000

Change = Callable[[Database, list[JobId]], Awaitable[int]]


@dataclass(frozen=True, slots=True)
class Asked:
    """Which letters are to be changed, by job or by a filter, and how."""

    ids: list[JobId]
    filters: LetterFilter
    dry_run: bool
    yes: bool
    as_json: bool


@takes(filters=letter_filter)
def asked(
    filters: LetterFilter,
    jobs: Jobs = None,
    everything: All = False,
    dry_run: DryRun = False,
    yes: Yes = False,
    as_json: Json = False,
) -> Asked:
    """A set of options."""
    return Asked(chosen_jobs(jobs, filters, everything), filters, dry_run, yes, as_json)


def register(app: typer.Typer) -> None:
    app.command("note")(note_letters)
    app.command("assign")(assign_letters)
    app.command("resolve")(resolve_letters)


@takes(asked=asked)
def note_letters(
    context: typer.Context,
    text: Annotated[str, typer.Argument(metavar="NOTE", help="What you found.")],
    asked: Asked,
) -> None:
    """Write a note on dead letters."""

    async def note(database: Database, batch: list[JobId]) -> int:
        return await dead.note_letters(database, batch, text, actor())

    _change(context, "note", asked, lambda _: True, note)


@takes(asked=asked)
def assign_letters(
    context: typer.Context,
    to: Annotated[str, typer.Argument(metavar="PERSON", help='Who looks into it; "" takes it off.')],
    asked: Asked,
    reason: Reason = None,
) -> None:
    """Say who looks into dead letters."""

    async def assign(database: Database, batch: list[JobId]) -> int:
        return len(await dead.triage_letters(database, batch, None, to, reason, actor()))

    _change(context, "assign", asked, lambda one: one.assignee != (to or None), assign)


@takes(asked=asked)
def resolve_letters(
    context: typer.Context,
    asked: Asked,
    status_to: Annotated[Triage, typer.Option("--as", help="The status to give.")] = Triage.RESOLVED,
    reason: Reason = None,
) -> None:
    """Say that dead letters are done with, and need no replay; --as gives another status."""

    async def resolve(database: Database, batch: list[JobId]) -> int:
        return len(await dead.triage_letters(database, batch, status_to, None, reason, actor()))

    _change(context, "resolve", asked, lambda one: one.status is not status_to, resolve)


def _change(
    context: typer.Context, word: str, asked: Asked, wants: Callable[[DeadLetter], bool], change: Change
) -> None:
    async def work(database: Database) -> int | None:
        chosen = asked.ids or await _matching(database, asked.filters, wants)
        if asked.dry_run:
            preview(word, chosen)
            return None
        if chosen and not asked.ids:
            confirm(f"{word.capitalize()} {len(chosen)} dead letters?", asked.yes)
        return sum([await change(database, batch) for batch in _batches(chosen)])

    count = with_database(context, work)
    if count is None:
        return
    if asked.as_json:
        print_json({"changed": count})
    else:
        write(f"{count} changed")
    if count < len(asked.ids):
        missing = len(asked.ids) - count
        raise NotFound(f"{missing} of the jobs have no dead letter.", "only a job that died has one")


async def _matching(
    database: Database, filters: LetterFilter, wants: Callable[[DeadLetter], bool]
) -> list[JobId]:
    """Those that fit and are not yet as they shall be."""
    return [one.job async for one in every_letter(database, await filters.wire(database)) if wants(one)]


def _batches(ids: list[JobId]) -> list[list[JobId]]:
    return [ids[start : start + BATCH] for start in range(0, len(ids), BATCH)]
