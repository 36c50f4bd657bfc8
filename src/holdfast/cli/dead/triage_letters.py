"""`holdfast dead note`, `assign` and `resolve`: who looks into which letters, and what was found."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated

import typer

from holdfast.cli.dead.letter_filter_options import All, Jobs, chosen_jobs, letter_filter
from holdfast.cli.frame.bulk_action import confirm, preview
from holdfast.cli.frame.common_options import DryRun, Json, Reason, Yes, actor
from holdfast.cli.frame.option_groups import takes
from holdfast.cli.frame.output import write
from holdfast.cli.frame.render import print_json
from holdfast.cli.frame.session import with_database
from holdfast.client.dead import require_letters
from holdfast.client.filters import LetterFilter, letter_wire
from holdfast.client.pager import PAGE, every_letter
from holdfast.db import dead
from holdfast.db.connect import Database
from holdfast.model.dead_letter import Triage
from holdfast.model.human_readable import counted
from holdfast.model.id import JobId

Change = Callable[[Database, list[JobId]], Awaitable[int]]


@dataclass(frozen=True, slots=True)
class TriageOptions:
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
) -> TriageOptions:
    """A set of options."""
    return TriageOptions(chosen_jobs(jobs, filters, everything), filters, dry_run, yes, as_json)


@takes(asked=asked)
def note_letters(
    context: typer.Context,
    text: Annotated[str, typer.Argument(metavar="NOTE", help="The text of the note.")],
    asked: TriageOptions,
) -> None:
    """Add a note to dead jobs."""

    async def note(database: Database, batch: list[JobId]) -> int:
        return await dead.note_letters(database, batch, text, actor())

    _change(context, "note", asked, note)


@takes(asked=asked)
def assign_letters(
    context: typer.Context,
    to: Annotated[
        str,
        typer.Argument(
            metavar="PERSON", help='The person who looks into the dead jobs. Use "" to remove the assignment.'
        ),
    ],
    asked: TriageOptions,
    reason: Reason = None,
) -> None:
    """Assign dead jobs to a person."""

    async def assign(database: Database, batch: list[JobId]) -> int:
        return len(await dead.triage_letters(database, batch, None, to, reason, actor()))

    _change(context, "assign", asked, assign)


@takes(asked=asked)
def resolve_letters(
    context: typer.Context,
    asked: TriageOptions,
    status_to: Annotated[Triage, typer.Option("--as", help="The status to set.")] = Triage.RESOLVED,
    reason: Reason = None,
) -> None:
    """Mark dead jobs as resolved. To set another status, use --as.

    'holdfast dead replay' skips resolved and ignored jobs, unless you give their ids or their --status.
    """

    async def resolve(database: Database, batch: list[JobId]) -> int:
        return len(await dead.triage_letters(database, batch, status_to, None, reason, actor()))

    _change(context, "resolve", asked, resolve)


def _change(context: typer.Context, word: str, asked: TriageOptions, change: Change) -> None:
    async def work(database: Database) -> int | None:
        wire = await letter_wire(database, asked.filters)
        if asked.dry_run:
            await preview(word, _chosen(database, asked.ids, wire))
            return None
        if not asked.ids and (count := await dead.count_letters(database, wire)):
            confirm(f"{word.capitalize()} {counted(count, 'dead job')}?", asked.yes)
        chosen = [job async for job in _chosen(database, asked.ids, wire)]
        return sum([await change(database, batch) for batch in _batches(chosen)])

    count = with_database(context, work)
    if count is None:
        return
    if asked.as_json:
        print_json({"changed": count})
    else:
        write(f"{count:,} changed")
    if asked.ids:
        require_letters(len(asked.ids), count)


async def _chosen(database: Database, ids: list[JobId], wire: dict[str, object]) -> AsyncIterator[JobId]:
    for job in ids:
        yield job
    if not ids:
        async for letter in every_letter(database, wire):
            yield letter.job


def _batches(ids: list[JobId]) -> list[list[JobId]]:
    return [ids[start : start + PAGE] for start in range(0, len(ids), PAGE)]
