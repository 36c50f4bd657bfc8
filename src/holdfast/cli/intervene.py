"""`holdfast jobs rescue`, `complete`, `fail` and `set-priority`: an operator lays hands on live jobs."""

import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Annotated

import typer

from holdfast.cli.bulk import Manner, Touched, Verb, act, judge, show
from holdfast.cli.options import DryRun, Json, Labels, Yes, actor
from holdfast.cli.pace import PaceOption, read_pace
from holdfast.cli.selection import (
    Ids,
    OlderThan,
    QueueFilter,
    RunFilter,
    TaskFilter,
    WorkerFilter,
    filters_of,
    select,
)
from holdfast.db import manual
from holdfast.db.connect import Database
from holdfast.db.manual import Results
from holdfast.model.error import InvalidOption
from holdfast.model.id import JobId
from holdfast.model.manual import ManualResult
from holdfast.model.payload import JsonText
from holdfast.model.state import LIVE, State

Why = Annotated[str, typer.Option("--reason", help="Why; kept in the audit trail.")]
REFUSALS: dict[str, str] = {
    ManualResult.ENDED: "has ended",
    ManualResult.NOT_RUNNING: "is not running",
    ManualResult.BUSY: "is being changed",
}


def register(app: typer.Typer) -> None:
    app.command("rescue")(rescue_jobs)
    app.command("complete")(complete_jobs)
    app.command("fail")(fail_jobs)
    app.command("set-priority")(set_priority)


def rescue_jobs(
    context: typer.Context,
    reason: Why,
    ids: Ids = None,
    queue: QueueFilter = None,
    task: TaskFilter = None,
    run: RunFilter = None,
    label: Labels = None,
    older_than: OlderThan = None,
    worker: WorkerFilter = None,
    pace: PaceOption = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Take running jobs from their workers and ready them; what those workers still write is refused."""
    filters = filters_of(queue, task, run, label, older_than, worker)

    async def take_back(database: Database, batch: list[JobId]) -> Results:
        return await manual.take_back(database, batch, reason, actor())

    manner = Manner(dry_run, yes, read_pace(pace))
    _intervene(context, "rescue", ids, filters, [State.RUNNING], take_back, manner, as_json)


def complete_jobs(
    context: typer.Context,
    reason: Why,
    ids: Ids = None,
    output: Annotated[str | None, typer.Option(help="The output, as JSON.")] = None,
    queue: QueueFilter = None,
    task: TaskFilter = None,
    run: RunFilter = None,
    label: Labels = None,
    older_than: OlderThan = None,
    worker: WorkerFilter = None,
    pace: PaceOption = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Say that the work of live jobs was done by other means."""
    left = _output(output)
    filters = filters_of(queue, task, run, label, older_than, worker)

    async def complete(database: Database, batch: list[JobId]) -> Results:
        return await manual.complete_by_hand(database, batch, left, reason, actor())

    manner = Manner(dry_run, yes, read_pace(pace))
    _intervene(context, "complete", ids, filters, sorted(LIVE), complete, manner, as_json)


def fail_jobs(
    context: typer.Context,
    reason: Why,
    ids: Ids = None,
    queue: QueueFilter = None,
    task: TaskFilter = None,
    run: RunFilter = None,
    label: Labels = None,
    older_than: OlderThan = None,
    worker: WorkerFilter = None,
    pace: PaceOption = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Give live jobs up: they are dead, with a dead letter each, and can be replayed."""
    filters = filters_of(queue, task, run, label, older_than, worker)

    async def fail(database: Database, batch: list[JobId]) -> Results:
        return await manual.fail_by_hand(database, batch, reason, actor())

    manner = Manner(dry_run, yes, read_pace(pace))
    _intervene(context, "fail", ids, filters, sorted(LIVE), fail, manner, as_json)


def set_priority(
    context: typer.Context,
    to: Annotated[int, typer.Argument(min=0, max=100, metavar="PRIORITY", help="0 to 100, higher first.")],
    reason: Why,
    ids: Ids = None,
    queue: QueueFilter = None,
    task: TaskFilter = None,
    run: RunFilter = None,
    label: Labels = None,
    older_than: OlderThan = None,
    pace: PaceOption = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Give live jobs another priority; a ready one goes to the end of its new line."""
    filters = filters_of(queue, task, run, label, older_than)

    async def change(database: Database, batch: list[JobId]) -> Results:
        return await manual.set_priority(database, batch, to, reason, actor())

    manner = Manner(dry_run, yes, read_pace(pace))
    _intervene(context, "change", ids, filters, sorted(LIVE), change, manner, as_json)


Intervention = Callable[[Database, list[JobId]], Awaitable[Results]]


def _intervene(
    context: typer.Context,
    word: str,
    ids: Iterable[str] | None,
    filters: dict[str, object],
    states: Sequence[State],
    intervention: Intervention,
    manner: Manner,
    as_json: bool,
) -> None:
    selection = select(ids, filters, states)
    results = act(context, selection, word, _verb(intervention), manner)
    show(results, as_json)
    judge(results, selection, REFUSALS)


def _verb(intervention: Intervention) -> Verb:
    async def verb(database: Database, batch: list[JobId]) -> Iterable[Touched]:
        results = await intervention(database, batch)
        return [Touched(job, result.value) for job, result in results.items()]

    return verb


def _output(text: str | None) -> JsonText | None:
    if text is None:
        return None
    try:
        json.loads(text)
    except ValueError:
        raise InvalidOption(f"The output {text!r} is not JSON.", "quote texts: --output '\"done\"'") from None
    return JsonText(text)
