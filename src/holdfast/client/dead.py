"""The dead letters of an app: look at them, write on them, bring them back."""

import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import asdict
from typing import Any, Unpack
from uuid import UUID

from holdfast.client.filters import LetterFilter, wire
from holdfast.client.handle import JobHandle
from holdfast.client.link import Links
from holdfast.client.read_id import read_id
from holdfast.client.replay import OnReplay, ReplayPlan, ReplayReport, replay_letters
from holdfast.db import dead
from holdfast.db.connect import Database
from holdfast.model.dead_letter import DeadLetter, LetterGroup, LetterPlace, LetterSheet, Triage
from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import NotFound
from holdfast.model.id import JobId
from holdfast.model.payload import encode

PAGE = 1000


class DeadLetters:
    """Reached as `app.dead`. Without a filter, all dead letters are meant."""

    def __init__(self, links: Links) -> None:
        self._links = links

    async def find(self, limit: int = 100, **filters: Unpack[LetterFilter]) -> list[DeadLetter]:
        """The newest that fit."""
        found: list[DeadLetter] = []
        async for letter in self._every(wire(filters), min(limit, PAGE)):
            if len(found) == limit:
                break
            found.append(letter)
        return found

    def every(self, **filters: Unpack[LetterFilter]) -> AsyncIterator[DeadLetter]:
        """All that fit, newest first, a page at a time."""
        return self._every(wire(filters), PAGE)

    async def show(self, job: UUID | str) -> LetterSheet:
        """The letter with its payload, error history and notes, also after a replay."""
        sheet = await dead.get_sheet(self._database, _id(job))
        if sheet is None:
            raise NotFound(f"The job {job} has no dead letter.", "only a job that died has one")
        return sheet

    async def groups(self, limit: int = 50, **filters: Unpack[LetterFilter]) -> list[LetterGroup]:
        """Letters that are alike, largest group first, with their trend."""
        return await dead.letter_groups(self._database, wire(filters), limit)

    async def note(self, jobs: Iterable[UUID | str], text: str) -> int:
        """How many got the note."""
        return await dead.note_letters(self._database, _ids(jobs), text, self._links.name)

    async def assign(self, jobs: Iterable[UUID | str], to: str | None, reason: str | None = None) -> int:
        """How many; `to` None takes them off whoever had them."""
        changed = await dead.triage_letters(
            self._database, _ids(jobs), None, to or "", reason, self._links.name
        )
        return len(changed)

    async def triage(self, jobs: Iterable[UUID | str], status: Triage, reason: str | None = None) -> int:
        """How many."""
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
        on_progress: OnReplay | None = None,
        **filters: Unpack[LetterFilter],
    ) -> ReplayReport:
        """Replay all that fit and are open or under investigation, oldest first, `pace` jobs per second.

        `canary` letters go first, one by one; unless all of them complete, the rest stays dead. It may be
        cancelled at any moment; to resume, pass the report's `until`.
        """
        plan = ReplayPlan(
            wire(filters), reason, self._links.name, pace, canary, parse_duration(canary_timeout), limit
        )
        return await replay_letters(self._database, plan, on_progress)

    async def replace(self, job: UUID | str, payload: Any, reason: str | None = None) -> JobHandle[Any]:
        """Enqueue a job with another payload in place of a dead one; payloads never change."""
        stands_in = await dead.replace_job(
            self._database, _id(job), encode(payload), reason, self._links.name
        )
        return JobHandle(self._links, stands_in, True, None)

    async def export(self, **filters: Unpack[LetterFilter]) -> AsyncIterator[str]:
        """JSON lines: each letter with its attempts, its notes and the job's payload."""
        async for letter in self.every(**filters):
            sheet = await dead.get_sheet(self._database, letter.job)
            if sheet is not None:  # else pruned since the page was read
                yield json.dumps(asdict(sheet), default=str)

    @property
    def _database(self) -> Database:
        return self._links.here().database

    async def _every(self, filters: dict[str, Any], size: int) -> AsyncIterator[DeadLetter]:
        place: LetterPlace | None = None
        while True:
            page = await dead.find_letters(self._database, filters, place, size)
            for letter in page.letters:
                yield letter
            place = page.next
            if place is None:
                return


def _ids(jobs: Iterable[UUID | str]) -> list[JobId]:
    return [_id(job) for job in jobs]


def _id(job: UUID | str) -> JobId:
    return JobId(read_id(job))
