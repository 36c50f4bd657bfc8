"""`holdfast dead note`, `assign` and `resolve`: who looks into which letters, and what was found."""

from collections.abc import Awaitable, Callable
from typing import Annotated

import typer

from holdfast.cli.bulk import preview
from holdfast.cli.letter_filter import (
    All,
    Assignee,
    Error,
    Fingerprint,
    Jobs,
    LetterFilter,
    Queue,
    Run,
    Since,
    Status,
    Task,
    chosen_jobs,
    every_letter,
    letter_filter,
)
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


def register(app: typer.Typer) -> None:
    app.command("note")(note_letters)
    app.command("assign")(assign_letters)
    app.command("resolve")(resolve_letters)


def note_letters(
    context: typer.Context,
    text: Annotated[str, typer.Argument(metavar="NOTE", help="What you found.")],
    jobs: Jobs = None,
    queue: Queue = None,
    task: Task = None,
    run: Run = None,
    fingerprint: Fingerprint = None,
    error: Error = None,
    status: Status = None,
    assignee: Assignee = None,
    since: Since = None,
    everything: All = False,
    dry_run: DryRun = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Write a note on dead letters."""
    filters = letter_filter(queue, task, run, fingerprint, error, status, assignee, since)
    ids = chosen_jobs(jobs, filters, everything)

    async def note(database: Database, batch: list[JobId]) -> int:
        return await dead.note_letters(database, batch, text, actor())

    _change(context, "note", ids, filters, lambda _: True, note, dry_run, yes, as_json)


def assign_letters(
    context: typer.Context,
    to: Annotated[str, typer.Argument(metavar="PERSON", help='Who looks into it; "" takes it off.')],
    jobs: Jobs = None,
    queue: Queue = None,
    task: Task = None,
    run: Run = None,
    fingerprint: Fingerprint = None,
    error: Error = None,
    status: Status = None,
    assignee: Assignee = None,
    since: Since = None,
    everything: All = False,
    reason: Reason = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Say who looks into dead letters."""
    filters = letter_filter(queue, task, run, fingerprint, error, status, assignee, since)
    ids = chosen_jobs(jobs, filters, everything)

    async def assign(database: Database, batch: list[JobId]) -> int:
        return len(await dead.triage_letters(database, batch, None, to, reason, actor()))

    _change(
        context,
        "assign",
        ids,
        filters,
        lambda one: one.assignee != (to or None),
        assign,
        dry_run,
        yes,
        as_json,
    )


def resolve_letters(
    context: typer.Context,
    jobs: Jobs = None,
    status_to: Annotated[Triage, typer.Option("--as", help="The status to give.")] = Triage.RESOLVED,
    queue: Queue = None,
    task: Task = None,
    run: Run = None,
    fingerprint: Fingerprint = None,
    error: Error = None,
    status: Status = None,
    assignee: Assignee = None,
    since: Since = None,
    everything: All = False,
    reason: Reason = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Say that dead letters are done with, and need no replay; --as gives another status."""
    filters = letter_filter(queue, task, run, fingerprint, error, status, assignee, since)
    ids = chosen_jobs(jobs, filters, everything)

    async def resolve(database: Database, batch: list[JobId]) -> int:
        return len(await dead.triage_letters(database, batch, status_to, None, reason, actor()))

    _change(
        context,
        "resolve",
        ids,
        filters,
        lambda one: one.status is not status_to,
        resolve,
        dry_run,
        yes,
        as_json,
    )


def _change(
    context: typer.Context,
    word: str,
    ids: list[JobId],
    filters: LetterFilter,
    wants: Callable[[DeadLetter], bool],
    change: Change,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    async def work(database: Database) -> int | None:
        chosen = ids or await _matching(database, filters, wants)
        if dry_run:
            preview(word, chosen)
            return None
        if chosen and not ids:
            confirm(f"{word.capitalize()} {len(chosen)} dead letters?", yes)
        return sum([await change(database, batch) for batch in _batches(chosen)])

    count = with_database(context, work)
    if count is None:
        return
    if as_json:
        print_json({"changed": count})
    else:
        write(f"{count} changed")
    if count < len(ids):
        raise NotFound(f"{len(ids) - count} of the jobs have no dead letter.", "only a job that died has one")


async def _matching(
    database: Database, filters: LetterFilter, wants: Callable[[DeadLetter], bool]
) -> list[JobId]:
    """Those that fit and are not yet as they shall be."""
    return [one.job async for one in every_letter(database, await filters.wire(database)) if wants(one)]


def _batches(ids: list[JobId]) -> list[list[JobId]]:
    return [ids[start : start + BATCH] for start in range(0, len(ids), BATCH)]
