"""`holdfast jobs cancel` and `holdfast jobs replay`: jobs by id, or all that match a filter."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated

import typer

from holdfast.cli.options import DryRun, Json, Labels, Reason, Yes, actor
from holdfast.cli.output import say, write
from holdfast.cli.render import print_json
from holdfast.cli.selection import (
    QueueFilter,
    RunFilter,
    Selection,
    StateFilter,
    TaskFilter,
    chosen_ids,
    confirm,
    filters_of,
    select,
)
from holdfast.cli.session import with_database
from holdfast.db import jobs
from holdfast.db.connect import Database
from holdfast.model.error import Conflict, InvalidOption, NotFound
from holdfast.model.id import JobId
from holdfast.model.queue import CancelledJob, CancelResult, ReplayedJob, ReplayResult
from holdfast.model.state import ENDS, LIVE, State

BATCH = 1000
# A row is busy while somebody settles it, which takes milliseconds.
BUSY_TRIES = 20
BUSY_PAUSE = 0.1

Ids = Annotated[list[str] | None, typer.Argument(metavar="JOB...", help="The jobs' ids; or use a filter.")]
Results = Sequence[CancelledJob | ReplayedJob]
Verb = Callable[[Database, list[JobId]], Awaitable[Results]]


def cancel_jobs(
    context: typer.Context,
    ids: Ids = None,
    state: StateFilter = None,
    queue: QueueFilter = None,
    task: TaskFilter = None,
    run: RunFilter = None,
    label: Labels = None,
    reason: Reason = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """End jobs that have not ended; running ones are asked to stop, and fenced if they do not."""
    states = _states(state, sorted(LIVE), "An ended job cannot be cancelled.")
    selection = select(ids, filters_of(queue, task, run, label), states)

    async def verb(database: Database, batch: list[JobId]) -> Results:
        return await _cancel(database, batch, reason)

    results = _act(context, selection, "cancel", verb, dry_run, yes)
    _show(results, as_json)
    _judge(results, selection, {CancelResult.ENDED: "has ended", CancelResult.BUSY: "is being changed"})


def replay_jobs(
    context: typer.Context,
    ids: Ids = None,
    state: StateFilter = None,
    queue: QueueFilter = None,
    task: TaskFilter = None,
    run: RunFilter = None,
    label: Labels = None,
    reason: Reason = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Start ended jobs again under the same id; a filter alone means the dead ones."""
    states = _states(state, [State.DEAD], "Only an ended job can be replayed.", ENDS)
    selection = select(ids, filters_of(queue, task, run, label), states)

    async def verb(database: Database, batch: list[JobId]) -> Results:
        return await jobs.replay_jobs(database, batch, reason, actor())

    results = _act(context, selection, "replay", verb, dry_run, yes)
    _show(results, as_json)
    taken = "lost its unique key to another job"
    _judge(results, selection, {ReplayResult.LIVE: "has not ended", ReplayResult.CONFLICT: taken})


def _states(
    asked: State | None, default: Sequence[State], refusal: str, allowed: frozenset[State] = LIVE
) -> Sequence[State]:
    if asked is None:
        return default
    if asked not in allowed:
        raise InvalidOption(refusal, f"--state is one of {', '.join(sorted(allowed))}")
    return [asked]


def _act(
    context: typer.Context, selection: Selection, word: str, verb: Verb, dry_run: bool, yes: bool
) -> Results:
    async def work(database: Database) -> Results:
        ids = await chosen_ids(database, selection)
        if dry_run:
            _preview(word, ids)
            raise typer.Exit
        if selection.is_bulk and ids:
            confirm(f"{word.capitalize()} {len(ids)} jobs?", yes)
        return await _in_batches(database, ids, verb)

    return with_database(context, work)


def _preview(word: str, ids: list[JobId]) -> None:
    say(f"would {word} {len(ids)} jobs")
    for job in ids:
        write(str(job))


async def _in_batches(database: Database, ids: list[JobId], verb: Verb) -> Results:
    results: list[CancelledJob | ReplayedJob] = []
    for start in range(0, len(ids), BATCH):
        results += await verb(database, ids[start : start + BATCH])
    return results


async def _cancel(database: Database, ids: list[JobId], reason: str | None) -> list[CancelledJob]:
    """A job that somebody is changing right now is asked for again."""
    results = {job.id: job for job in await jobs.cancel_jobs(database, ids, reason, actor())}
    for _ in range(BUSY_TRIES):
        busy = [job.id for job in results.values() if job.result is CancelResult.BUSY]
        if not busy:
            break
        await asyncio.sleep(BUSY_PAUSE)
        results |= {job.id: job for job in await jobs.cancel_jobs(database, busy, reason, actor())}
    return list(results.values())


def _show(results: Results, as_json: bool) -> None:
    if as_json:
        print_json({"jobs": results})
        return
    for job in results:
        write(f"{job.id} {job.result}")
    counts = Counter(job.result.value for job in results)
    say(", ".join(f"{count} {result}" for result, count in sorted(counts.items())) or "no job matches")


def _judge(results: Results, selection: Selection, refusals: Mapping[str, str]) -> None:
    """Jobs named by id must all have obeyed; of those that a filter found, some may have moved on."""
    if selection.is_bulk:
        return
    for job in results:
        if job.result.value == CancelResult.NOT_FOUND.value:
            raise NotFound(f"There is no job {job.id}.")
    for job in results:
        if job.result in refusals:
            raise Conflict(f"The job {job.id} {refusals[job.result]}.", "look at it with holdfast jobs show")
