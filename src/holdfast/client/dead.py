"""The dead letters of an app: list, annotate and replay them."""

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any, Unpack
from uuid import UUID

from holdfast.client.connection_pools import Links
from holdfast.client.filters import LetterFilter, letter_wire
from holdfast.client.job_handle import JobHandle
from holdfast.client.pager import PAGE, every_letter
from holdfast.client.read_id import read_id
from holdfast.client.replay import OnReplay, ReplayPlan, ReplayReport, replay_letters
from holdfast.db import dead
from holdfast.db.connect import Database
from holdfast.db.statement import Executor
from holdfast.model.dead_letter import DeadLetter, LetterGroup, LetterSheet, Triage
from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import Conflict, NotFound
from holdfast.model.id import JobId
from holdfast.model.json_document import json_text, plain
from holdfast.model.payload import encode


class DeadLetters:
    """Available as `app.dead`. Without a filter, every method applies to all dead letters."""

    def __init__(self, links: Links) -> None:
        self._links = links

    async def find(self, limit: int = 100, **filters: Unpack[LetterFilter]) -> list[DeadLetter]:
        """The newest that match."""
        return await newest_letters(self._database, filters, limit)

    async def every(self, **filters: Unpack[LetterFilter]) -> AsyncIterator[DeadLetter]:
        """All that match, newest first, a page at a time."""
        async for letter in every_letter(self._database, await letter_wire(self._database, filters)):
            yield letter

    async def count(self, **filters: Unpack[LetterFilter]) -> int:
        """How many fit."""
        return await dead.count_letters(self._database, await letter_wire(self._database, filters))

    async def show(self, job: UUID | str) -> LetterSheet:
        """The dead letter with its payload, error history and notes, also after a replay."""
        return await require_sheet(self._database, _id(job))

    async def groups(self, limit: int = 50, **filters: Unpack[LetterFilter]) -> list[LetterGroup]:
        """Dead letters grouped by error, largest group first, with their trend."""
        return await dead.letter_groups(self._database, await letter_wire(self._database, filters), limit)

    async def note(self, jobs: Iterable[UUID | str], text: str) -> int:
        """Returns how many got the note."""
        return await dead.note_letters(self._database, _ids(jobs), text, self._links.name)

    async def assign(self, jobs: Iterable[UUID | str], to: str | None, reason: str | None = None) -> int:
        """Returns how many; `to` None removes the assignee."""
        changed = await dead.triage_letters(
            self._database, _ids(jobs), None, to or "", reason, self._links.name
        )
        return len(changed)

    async def triage(self, jobs: Iterable[UUID | str], status: Triage, reason: str | None = None) -> int:
        """Returns how many."""
        changed = await dead.triage_letters(
            self._database, _ids(jobs), status, None, reason, self._links.name
        )
        return len(changed)

    async def resolve(self, jobs: Iterable[UUID | str], reason: str | None = None) -> int:
        return await self.triage(jobs, Triage.RESOLVED, reason)

    async def replay(
        self,
        *,
        reason: str | None = None,
        pace: float | None = None,
        canary: int = 0,
        canary_timeout: Duration = "10m",
        limit: int | None = None,
        stage: str | None = None,
        on_progress: OnReplay | None = None,
        **filters: Unpack[LetterFilter],
    ) -> ReplayReport:
        """Replay all that match and are open or under investigation, oldest first, `pace` jobs per second.

        Each starts at `stage` of its pipeline; without one, where it ended. `canary` letters go first, one by
        one; unless all of them complete, the rest stays dead. The call may be cancelled at any moment; to
        resume, pass the report's `until`.
        """
        plan = ReplayPlan(
            await letter_wire(self._database, filters),
            reason,
            self._links.name,
            pace,
            canary,
            parse_duration(canary_timeout),
            limit,
            stage,
        )
        return await replay_letters(self._database, plan, on_progress)

    async def replace(self, job: UUID | str, payload: Any, reason: str | None = None) -> JobHandle[Any]:
        """Enqueue a job with another payload in place of a dead one; payloads never change."""
        stands_in = await dead.replace_job(
            self._database, _id(job), encode(payload), reason, self._links.name
        )
        return JobHandle(self._links, stands_in, True, None)

    def export(self, **filters: Unpack[LetterFilter]) -> AsyncIterator[str]:
        """JSON lines: each letter with its attempts, its notes and the job's payload."""
        return export_letters(self._database, filters)

    @property
    def _database(self) -> Database:
        return self._links.here().database


async def newest_letters(on: Executor, filters: LetterFilter, limit: int) -> list[DeadLetter]:
    found: list[DeadLetter] = []
    async for letter in every_letter(on, await letter_wire(on, filters), min(limit, PAGE)):
        if len(found) == limit:
            break
        found.append(letter)
    return found


async def export_letters(on: Executor, filters: LetterFilter) -> AsyncIterator[str]:
    """A JSON line for each letter that fits, newest first."""
    async for letter in every_letter(on, await letter_wire(on, filters)):
        sheet = await dead.get_sheet(on, letter.job)
        if sheet is not None:  # else pruned since the page was read
            yield json_text(letter_document(sheet))


def letter_document(sheet: LetterSheet) -> dict[str, Any]:
    """The letter's own fields, and beside them its attempts, notes, payload and labels."""
    known = plain(sheet)
    return {**known.pop("letter"), **known}


async def require_sheet(on: Executor, job: JobId) -> LetterSheet:
    """Raises NotFound."""
    sheet = await dead.get_sheet(on, job)
    if sheet is None:
        raise NotFound(
            f"There is no dead letter for the job {job}.", "'holdfast dead list' shows the dead jobs"
        )
    return sheet


async def triage(
    on: Executor,
    jobs: Sequence[JobId],
    actor: str,
    *,
    status: Triage | None = None,
    assignee: str | None = None,
    note: str | None = None,
    reason: str | None = None,
) -> int:
    """How many letters there are. Raises NotFound if one of the jobs has never died."""
    counts = []
    if note is not None:
        counts.append(await dead.note_letters(on, jobs, note, actor))
    if note is None or status is not None or assignee is not None:
        counts.append(len(await dead.triage_letters(on, jobs, status, assignee, reason, actor)))
    require_letters(len(jobs), counts[0])
    return counts[0]


def require_letters(asked: int, found: int) -> None:
    if missing := asked - found:
        raise NotFound(
            f"There is no dead letter for {missing} of the given jobs.",
            "'holdfast dead list' shows the dead jobs",
        )


async def require_dead(on: Executor, jobs: Iterable[JobId]) -> None:
    """The verb would replay a completed job as well."""
    for job in jobs:
        letter = await dead.get_letter(on, job)
        if letter is None:
            raise NotFound(
                f"There is no dead letter for the job {job}.",
                "to replay a job that ended in another state, use 'holdfast jobs replay'",
            )
        if letter.replayed_at is not None:
            raise Conflict(
                f"The job {job} was replayed and is not dead now.",
                "'holdfast jobs show' shows the state of the job",
            )


def _ids(jobs: Iterable[UUID | str]) -> list[JobId]:
    return [_id(job) for job in jobs]


def _id(job: UUID | str) -> JobId:
    return JobId(read_id(job))
