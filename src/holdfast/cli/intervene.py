"""`holdfast jobs rescue`, `complete`, `fail` and `set-priority`: an operator lays hands on live jobs."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Annotated

import typer

from holdfast.cli.bulk import Manner, Touched, Verb, act, judge, manner_of, show
from holdfast.cli.option_set import takes
from holdfast.cli.options import Json, actor
from holdfast.cli.selection import Filters, Ids, filters_of, running_filters_of, select
from holdfast.db import manual
from holdfast.db.connect import Database
from holdfast.db.manual import Results
from holdfast.model.error import InvalidOption
from holdfast.model.id import JobId
from holdfast.model.manual import ManualResult
from holdfast.model.payload import JsonText, encode, read
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


@takes(filters=running_filters_of, manner=manner_of)
def rescue_jobs(
    context: typer.Context,
    filters: Filters,
    manner: Manner,
    reason: Why,
    ids: Ids = None,
    as_json: Json = False,
) -> None:
    """Take running jobs from their workers and ready them; what those workers still write is refused."""

    async def take_back(database: Database, batch: list[JobId]) -> Results:
        return await manual.take_back(database, batch, reason, actor())

    _intervene(context, "rescue", ids, filters, [State.RUNNING], take_back, manner, as_json)


@takes(filters=running_filters_of, manner=manner_of)
def complete_jobs(
    context: typer.Context,
    filters: Filters,
    manner: Manner,
    reason: Why,
    ids: Ids = None,
    output: Annotated[str | None, typer.Option(help="The output, as JSON.")] = None,
    as_json: Json = False,
) -> None:
    """Say that the work of live jobs was done by other means."""
    left = _output(output)

    async def complete(database: Database, batch: list[JobId]) -> Results:
        return await manual.complete_by_hand(database, batch, left, reason, actor())

    _intervene(context, "complete", ids, filters, sorted(LIVE), complete, manner, as_json)


@takes(filters=running_filters_of, manner=manner_of)
def fail_jobs(
    context: typer.Context,
    filters: Filters,
    manner: Manner,
    reason: Why,
    ids: Ids = None,
    as_json: Json = False,
) -> None:
    """Give live jobs up: they are dead, with a dead letter each, and can be replayed."""

    async def fail(database: Database, batch: list[JobId]) -> Results:
        return await manual.fail_by_hand(database, batch, reason, actor())

    _intervene(context, "fail", ids, filters, sorted(LIVE), fail, manner, as_json)


@takes(filters=filters_of, manner=manner_of)
def set_priority(
    context: typer.Context,
    filters: Filters,
    manner: Manner,
    to: Annotated[int, typer.Argument(min=0, max=100, metavar="PRIORITY", help="0 to 100, higher first.")],
    reason: Why,
    ids: Ids = None,
    as_json: Json = False,
) -> None:
    """Give live jobs another priority; a ready one goes to the end of its new line."""

    async def change(database: Database, batch: list[JobId]) -> Results:
        return await manual.set_priority(database, batch, to, reason, actor())

    _intervene(context, "change", ids, filters, sorted(LIVE), change, manner, as_json)


Intervention = Callable[[Database, list[JobId]], Awaitable[Results]]


def _intervene(
    context: typer.Context,
    word: str,
    ids: Iterable[str] | None,
    filters: Filters,
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
        return encode(read(text))
    except ValueError:
        raise InvalidOption(f"The output {text!r} is not JSON.", "quote texts: --output '\"done\"'") from None
