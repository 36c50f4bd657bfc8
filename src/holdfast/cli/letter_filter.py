"""Which dead letters a command means: by job, or all that match a filter."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any

import typer

from holdfast.cli.options import duration, identifier
from holdfast.db import dead, health
from holdfast.db.connect import Database
from holdfast.model.dead_letter import DeadLetter, LetterPlace, Triage
from holdfast.model.error import InvalidOption
from holdfast.model.id import JobId

PAGE = 1000

All = Annotated[bool, typer.Option("--all", help="All of them; needed where no filter is given.")]
Jobs = Annotated[list[str] | None, typer.Argument(metavar="JOB...", help="The jobs' ids; or use a filter.")]


@dataclass(frozen=True, slots=True)
class LetterFilter:
    """What was asked for; `since` reaches back from the database's now."""

    values: dict[str, Any]
    since: timedelta | None

    @property
    def is_empty(self) -> bool:
        return not self.values and self.since is None

    async def wire(self, database: Database) -> dict[str, Any]:
        """In the form of the database's verbs."""
        if self.since is None:
            return self.values
        return {**self.values, "since": (await health.clock(database) - self.since).isoformat()}


def letter_filter(
    queue: Annotated[str | None, typer.Option(help="Only letters of this queue.")] = None,
    task: Annotated[str | None, typer.Option(help="Only letters of this task.")] = None,
    run: Annotated[str | None, typer.Option(help="Only letters of this run.")] = None,
    fingerprint: Annotated[
        str | None, typer.Option(help="Only letters of this group; see dead groups.")
    ] = None,
    error: Annotated[
        str | None, typer.Option(metavar="TYPE", help="Only letters with this type of error.")
    ] = None,
    status: Annotated[Triage | None, typer.Option(help="Only letters with this status.")] = None,
    assignee: Annotated[str | None, typer.Option(help="Only letters assigned to this person.")] = None,
    since: Annotated[
        str | None, typer.Option(help="Only letters of jobs that died in the last, such as 1h.")
    ] = None,
) -> LetterFilter:
    """A set of options."""
    asked = {
        "queue": queue,
        "task": task,
        "run": None if run is None else str(identifier(run, "run")),
        "fingerprint": fingerprint,
        "error_type": error,
        "status": None if status is None else status.value,
        "assignee": assignee,
    }
    return LetterFilter({name: value for name, value in asked.items() if value is not None}, duration(since))


def chosen_jobs(ids: Iterable[str] | None, filters: LetterFilter, everything: bool) -> list[JobId]:
    """The jobs that were named; none where the filter is meant. Never both, never neither."""
    chosen = [JobId(identifier(one)) for one in ids or ()]
    ways = [bool(chosen), not filters.is_empty, everything]
    if sum(ways) > 1:
        raise InvalidOption("Which letters are meant is not clear.", "name jobs, or filter, or say --all")
    if not any(ways):
        raise InvalidOption(
            "Neither jobs nor a filter are given.",
            "name the jobs, say --fingerprint, --queue, --task, --run, --error or --since, or say --all",
        )
    return chosen


async def every_letter(database: Database, filters: dict[str, Any]) -> AsyncIterator[DeadLetter]:
    """All that fit and whose job is dead now, newest first."""
    place: LetterPlace | None = None
    while True:
        page = await dead.find_letters(database, filters, place, PAGE)
        for letter in page.letters:
            yield letter
        place = page.next
        if place is None:
            return
