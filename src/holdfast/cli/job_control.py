"""`holdfast jobs cancel` and `holdfast jobs replay`: jobs by id, or all that match a filter."""

from collections.abc import Iterable, Sequence
from typing import Annotated

import typer

from holdfast.cli.bulk import BUSY, Manner, Touched, act, judge, manner_of, show
from holdfast.cli.option_set import takes
from holdfast.cli.options import Json, Reason, actor
from holdfast.cli.selection import Filters, Ids, StateFilter, filters_of, select
from holdfast.db import jobs
from holdfast.db.connect import Database
from holdfast.model.error import InvalidOption
from holdfast.model.id import JobId
from holdfast.model.queue import CancelledJob, CancelResult, ReplayedJob, ReplayResult
from holdfast.model.state import ENDS, LIVE, State


@takes(filters=filters_of, manner=manner_of)
def cancel_jobs(
    context: typer.Context,
    filters: Filters,
    manner: Manner,
    ids: Ids = None,
    state: StateFilter = None,
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """End jobs that have not ended; running ones are asked to stop, and fenced if they do not."""
    states = _states(state, sorted(LIVE), "An ended job cannot be cancelled.")
    selection = select(ids, filters, states)

    async def verb(database: Database, batch: list[JobId]) -> Iterable[Touched]:
        return _touched(await jobs.cancel_jobs(database, batch, reason, actor()))

    results = act(context, selection, "cancel", verb, manner)
    show(results, as_json)
    judge(results, selection, {CancelResult.ENDED: "has ended", BUSY: "is being changed"})


@takes(filters=filters_of, manner=manner_of)
def replay_jobs(
    context: typer.Context,
    filters: Filters,
    manner: Manner,
    ids: Ids = None,
    state: StateFilter = None,
    stage: Annotated[
        str | None, typer.Option(help="Of their pipeline, to start at; else each starts where it ended.")
    ] = None,
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Start ended jobs again under the same id; a filter alone means the dead ones."""
    states = _states(state, [State.DEAD], "Only an ended job can be replayed.", ENDS)
    selection = select(ids, filters, states)

    async def verb(database: Database, batch: list[JobId]) -> Iterable[Touched]:
        return _touched(await jobs.replay_jobs(database, batch, reason, actor(), stage))

    results = act(context, selection, "replay", verb, manner)
    show(results, as_json)
    taken = "lost its unique key to another job"
    judge(results, selection, {ReplayResult.LIVE: "has not ended", ReplayResult.CONFLICT: taken})


def _states(
    asked: State | None, default: Sequence[State], refusal: str, allowed: frozenset[State] = LIVE
) -> Sequence[State]:
    if asked is None:
        return default
    if asked not in allowed:
        raise InvalidOption(refusal, f"--state is one of {', '.join(sorted(allowed))}")
    return [asked]


def _touched(answer: Iterable[CancelledJob | ReplayedJob]) -> Iterable[Touched]:
    return [Touched(job.id, job.result.value) for job in answer]
