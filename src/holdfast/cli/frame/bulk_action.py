"""One verb on many jobs: count, ask, then act in batches at a pace, and say what became of each."""

import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, TypeVar

import typer

from holdfast.cli.frame.common_options import DryRun, Yes
from holdfast.cli.frame.output import say, write
from holdfast.cli.frame.progress_bar import ProgressBar
from holdfast.cli.frame.render import print_json
from holdfast.cli.frame.session import with_database
from holdfast.client.job_actions import JobSelection, act, require_changed
from holdfast.client.pacer import read_pace
from holdfast.db.connect import Database
from holdfast.model.error import InvalidOption
from holdfast.model.human_readable import counted
from holdfast.model.id import JobId

R = TypeVar("R", bound=StrEnum)

Verb = Callable[[Database, Sequence[JobId]], Awaitable[Mapping[JobId, R]]]
PaceOption = Annotated[
    str | None,
    typer.Option(metavar="N/s", help="At most this many jobs per second or minute, such as 100/s or 30/m."),
]


@dataclass(frozen=True, slots=True)
class Manner:
    """How a bulk action is done: only shown, without a question, at a pace."""

    dry_run: bool = False
    yes: bool = False
    pace: float | None = None


def manner_of(pace: PaceOption = None, dry_run: DryRun = False, yes: Yes = False) -> Manner:
    """A set of options."""
    return Manner(dry_run, yes, read_pace(pace))


def act_on_jobs(
    context: typer.Context,
    word: str,
    selection: JobSelection,
    verb: Verb[R],
    manner: Manner,
    as_json: bool,
    check: Callable[[Database], Awaitable[None]] | None = None,
) -> None:
    """`check` refuses before anything is done."""

    async def work(database: Database) -> dict[JobId, R]:
        if check is not None:
            await check(database)
        if manner.dry_run:
            await preview(word, selection.every(database))
            raise typer.Exit
        count = await selection.count(database)
        if selection.is_bulk and count:
            confirm(f"{word.capitalize()} {counted(count, 'job')}?", manner.yes)
        with ProgressBar(word, count) as bar:
            return await act(database, selection, lambda batch: verb(database, batch), manner.pace, bar.show)

    results = with_database(context, work)
    _show(results, as_json)
    if not selection.is_bulk:
        require_changed(results)


async def preview(word: str, jobs: AsyncIterator[JobId]) -> None:
    count = 0
    async for job in jobs:
        write(str(job))
        count += 1
    say(f"would {word} {counted(count, 'job')}")


def confirm(question: str, yes: bool) -> None:
    """Without a terminal to ask on, --yes is needed."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidOption(
            "This command must be confirmed, but the input is not a terminal.",
            "add --yes to confirm, or --dry-run to see what the command would do",
        )
    typer.confirm(question, abort=True, err=True)


def _show(results: Mapping[JobId, StrEnum], as_json: bool) -> None:
    if as_json:
        print_json({"jobs": [{"id": job, "result": result} for job, result in results.items()]})
        return
    for job, result in results.items():
        write(f"{job} {result}")
    counts = Counter(results.values())
    say(", ".join(f"{count:,} {result}" for result, count in sorted(counts.items())) or "no job matches")
