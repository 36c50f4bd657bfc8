"""Which jobs a command means: by id, or all that match a filter, with a question before touching many."""

import sys
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from holdfast.cli.option_set import takes
from holdfast.cli.options import Labels, identifier, labels, seconds
from holdfast.db.connect import Database
from holdfast.db.jobs import list_jobs
from holdfast.model.error import InvalidOption
from holdfast.model.id import JobId
from holdfast.model.state import State

PAGE = 1000

StateFilter = Annotated[State | None, typer.Option(help="Only jobs in this state.")]
QueueFilter = Annotated[str | None, typer.Option(help="Only jobs of this queue.")]
TaskFilter = Annotated[str | None, typer.Option(help="Only jobs of this task.")]
RunFilter = Annotated[str | None, typer.Option(help="Only jobs of this run.")]
OlderThan = Annotated[str | None, typer.Option(help="Only jobs enqueued longer ago than this, such as 2h.")]
Ids = Annotated[list[str] | None, typer.Argument(metavar="JOB...", help="The jobs' ids; or use a filter.")]

Filters = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Selection:
    """Ids, or a filter and the states to look in; never both, never neither."""

    ids: tuple[JobId, ...]
    filters: Filters
    states: tuple[State, ...]

    @property
    def is_bulk(self) -> bool:
        return not self.ids


def filters_of(
    queue: QueueFilter = None,
    task: TaskFilter = None,
    run: RunFilter = None,
    label: Labels = None,
    older_than: OlderThan = None,
) -> Filters:
    """A set of options; the filter as the database takes it."""
    asked = {
        "queue": queue,
        "task": task,
        "run": None if run is None else str(identifier(run, "run")),
        "labels": labels(label),
        "older_than": seconds(older_than),
    }
    return {name: value for name, value in asked.items() if value is not None}


@takes(filters=filters_of)
def running_filters_of(
    filters: Filters,
    worker: Annotated[str | None, typer.Option(help="Only jobs that this worker runs.")] = None,
) -> Filters:
    """The same, and by worker."""
    return filters if worker is None else {**filters, "worker": str(identifier(worker, "worker"))}


def select(ids: Iterable[str] | None, filters: Filters, states: Sequence[State]) -> Selection:
    chosen = tuple(JobId(identifier(one)) for one in ids or ())
    if chosen and filters:
        raise InvalidOption("Both ids and filters are given.", "name the jobs, or filter them, not both")
    if not chosen and not filters:
        raise InvalidOption(
            "Neither ids nor a filter are given.", "name the jobs, or say --queue, --task, --run or --label"
        )
    return Selection(chosen, filters, tuple(states))


async def chosen_ids(database: Database, selection: Selection) -> list[JobId]:
    if not selection.is_bulk:
        return list(selection.ids)
    return [job async for job in _matching(database, selection)]


def confirm(question: str, yes: bool) -> None:
    """Where nobody can answer, --yes must have been said."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidOption("This needs a confirmation.", "add --yes, or --dry-run to see what it would do")
    typer.confirm(question, abort=True, err=True)


async def _matching(database: Database, selection: Selection) -> AsyncIterator[JobId]:
    for state in selection.states:
        filters = {**selection.filters, "state": state.value}
        page = await list_jobs(database, filters, None, PAGE)
        while page:
            for job in page:
                yield job.id
            page = await list_jobs(database, filters, page[-1].id, PAGE) if len(page) == PAGE else []
