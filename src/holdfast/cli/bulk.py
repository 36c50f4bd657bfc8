"""One verb on many jobs: look, ask, then do it in batches at a pace, and say what became of each."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

import typer

from holdfast.cli.options import DryRun, Yes
from holdfast.cli.output import say, write
from holdfast.cli.pace import PaceOption, Pacer, read_pace
from holdfast.cli.progress_bar import ProgressBar
from holdfast.cli.render import print_json
from holdfast.cli.selection import Selection, chosen_ids, confirm
from holdfast.cli.session import with_database
from holdfast.db.connect import Database
from holdfast.model.error import Conflict, NotFound
from holdfast.model.id import JobId

BATCH = 1000
# A row is busy while somebody settles it, which takes milliseconds.
BUSY_TRIES = 20
BUSY_PAUSE = 0.1
BUSY, NOT_FOUND = "busy", "not_found"


@dataclass(frozen=True, slots=True)
class Touched:
    """A job, and what the verb did to it."""

    id: JobId
    result: str


Verb = Callable[[Database, list[JobId]], Awaitable[Iterable[Touched]]]


@dataclass(frozen=True, slots=True)
class Manner:
    """How a bulk action is done: only looked at, without a question, at a pace."""

    dry_run: bool = False
    yes: bool = False
    pace: float | None = None


def manner_of(pace: PaceOption = None, dry_run: DryRun = False, yes: Yes = False) -> Manner:
    """A set of options."""
    return Manner(dry_run, yes, read_pace(pace))


def act(context: typer.Context, selection: Selection, word: str, verb: Verb, manner: Manner) -> list[Touched]:
    async def work(database: Database) -> list[Touched]:
        ids = await chosen_ids(database, selection)
        if manner.dry_run:
            preview(word, ids)
            raise typer.Exit
        if selection.is_bulk and ids:
            confirm(f"{word.capitalize()} {len(ids)} jobs?", manner.yes)
        return await in_batches(database, ids, word, verb, manner.pace)

    return with_database(context, work)


def preview(word: str, ids: Iterable[UUID]) -> None:
    lines = [str(job) for job in ids]
    say(f"would {word} {len(lines)} jobs")
    for line in lines:
        write(line)


async def in_batches(
    database: Database, ids: list[JobId], word: str, verb: Verb, pace: float | None
) -> list[Touched]:
    results: list[Touched] = []
    pacer = Pacer(pace)
    step = pacer.step(BATCH)
    with ProgressBar(word, len(ids)) as bar:
        for start in range(0, len(ids), step):
            await pacer.keep(start)
            results += await _unless_busy(database, ids[start : start + step], verb)
            bar.show(len(results))
    return results


async def _unless_busy(database: Database, ids: list[JobId], verb: Verb) -> Iterable[Touched]:
    """A job that somebody is changing right now is asked for again."""
    results = {job.id: job for job in await verb(database, ids)}
    for _ in range(BUSY_TRIES):
        busy = [job.id for job in results.values() if job.result == BUSY]
        if not busy:
            break
        await asyncio.sleep(BUSY_PAUSE)
        results |= {job.id: job for job in await verb(database, busy)}
    return results.values()


def show(results: list[Touched], as_json: bool) -> None:
    if as_json:
        print_json({"jobs": results})
        return
    for job in results:
        write(f"{job.id} {job.result}")
    counts = Counter(job.result for job in results)
    say(", ".join(f"{count} {result}" for result, count in sorted(counts.items())) or "no job matches")


def judge(results: list[Touched], selection: Selection, refusals: Mapping[str, str]) -> None:
    """Jobs named by id must all have obeyed; of those that a filter found, some may have moved on."""
    if selection.is_bulk:
        return
    for job in results:
        if job.result == NOT_FOUND:
            raise NotFound(f"There is no job {job.id}.", "holdfast jobs list shows the ids")
    for job in results:
        if job.result in refusals:
            raise Conflict(f"The job {job.id} {refusals[job.result]}.", "look at it with holdfast jobs show")
