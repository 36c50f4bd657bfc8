"""Dead letters as a triage board: groups of one cause, and the chosen group with what can be done."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from starlette.requests import Request

from holdfast.api.request.access import Access
from holdfast.api.request.scoped_view import all_seen_by, seen_by
from holdfast.client.filters import letter_wire
from holdfast.dashboard.kept import Kept
from holdfast.dashboard.page import Page, Shown, View
from holdfast.db import dead
from holdfast.db.jobs import page_outlines
from holdfast.model.access_key import AccessAction, Caller
from holdfast.model.dead_letter import DeadLetter, LetterCounts, LetterGroup, LetterSheet, Triage
from holdfast.model.human_readable import counted
from holdfast.model.id import RunId
from holdfast.model.state import State

GROUPS = 50
LETTERS = 100  # of a group: as many as one call of the API changes
LISTED = 20
LINES = 40  # of a traceback: its end
MANY = 5_000  # letters that take more than a few milliseconds to group


@dataclass(frozen=True, slots=True)
class ChosenGroup:
    """`letters`: the newest; `sheet`: of the newest one, with its errors and notes. `since`: jobs of its task
    that were enqueued after the last death and completed; None if it has several tasks.
    """

    group: LetterGroup
    letters: list[DeadLetter]
    sheet: LetterSheet | None
    since: int | None
    since_is_more: bool

    @property
    def ids(self) -> str:
        return " ".join(str(one.job) for one in self.letters)

    @property
    def by_queue(self) -> list[str]:
        """mail 31, chat 2: of the newest letters, the most first"""
        found = Counter(one.queue for one in self.letters).most_common()
        return [f"{queue} {letters:,}" for queue, letters in found]

    @property
    def by_run(self) -> list[tuple[RunId, int]]:
        """Of the newest letters, the most first."""
        return Counter(one.run for one in self.letters if one.run).most_common()

    @property
    def traceback(self) -> list[str]:
        """The end of the newest one: the last line says what went wrong."""
        for attempt in self.sheet.attempts if self.sheet else ():
            if attempt.traceback:
                return attempt.traceback.rstrip().split("\n")[-LINES:]
        return []


@dataclass(frozen=True, slots=True)
class Board:
    """`at`: when it was read. Very many letters are not read again for each look."""

    groups: list[LetterGroup]
    chosen: ChosenGroup | None
    counts: LetterCounts
    at: datetime


Key = tuple[str | None, str | None, str, str, UUID | None]


class DeadLetters(Page):
    path = "/dead"
    template = "dead.html"

    def __init__(self) -> None:
        self._kept: Kept[Key, Board] = Kept(timedelta(seconds=10), _is_large)

    async def allow(self, access: Access, request: Request, path: Mapping[str, str]) -> Caller:
        return await access.check(request, AccessAction.LIST_JOBS, queues=[])

    async def read(self, view: View) -> Shown:
        queue = view.queue_in_scope(view.get("queue"))
        status = view.get("status") if view.get("status") in list(Triage) else Triage.OPEN
        common = {"queue": queue or None, "task": view.get("task") or None}
        board = await self._board(view, common, status)
        groups, chosen, counts = board.groups, board.chosen, board.counts
        values = {
            "groups": groups[:GROUPS],
            "has_more": len(groups) > GROUPS,
            "chosen": chosen,
            "counts": counts.of,
            "is_partial": counts.is_partial,
            "at": board.at,
            "status": status,
            "given": {name: value for name, value in common.items() if value},
            "queues": view.caller.queues,
            "listed": LISTED,
            "most": LETTERS,
            "filter": _filter_fields(chosen, status, common),
        }
        more = "more than " if counts.is_partial else ""
        title = f"{more}{counted(counts.of[Triage.OPEN], 'open dead letter')} · Dead letters"
        return Shown(title[0].upper() + title[1:], values, here="Dead letters")

    async def _board(self, view: View, common: Mapping[str, str | None], status: str) -> Board:
        seen_by = None if view.sees_all else view.caller.key  # a key with a scope sees its own name only
        key = (common["queue"], common["task"], status, view.get("group"), seen_by)
        return await self._kept.get(key, lambda: _read(view, common, status), view.share)


def _is_large(board: Board) -> bool:
    return board.counts.all > MANY or board.counts.is_partial


async def _read(view: View, common: Mapping[str, str | None], status: str) -> Board:
    wanted = await letter_wire(view.database, {**common, "status": status})
    groups = await dead.letter_groups(view.database, wanted, GROUPS + 1)
    counts = await dead.letters_by_status(view.database, await letter_wire(view.database, common))
    return Board(groups, await _chosen(view, groups, wanted), counts, view.now)


async def _chosen(view: View, groups: Sequence[LetterGroup], wanted: dict[str, Any]) -> ChosenGroup | None:
    """The group that the address names, else the largest one."""
    if not groups:
        return None
    asked = view.get("group")
    group = next((one for one in groups if one.fingerprint == asked), groups[0])
    found = await dead.find_letters(
        view.database, {**wanted, "fingerprint": group.fingerprint}, limit=LETTERS
    )
    sheet = await dead.get_sheet(view.database, group.sample)
    since, is_more = await _completed_since(view, group, wanted)
    return ChosenGroup(
        group,
        all_seen_by(view.caller, found.items),
        seen_by(view.caller, sheet) if sheet else None,
        since,
        is_more,
    )


async def _completed_since(
    view: View, group: LetterGroup, wanted: Mapping[str, Any]
) -> tuple[int | None, bool]:
    """Whether the fault still happens: a bounded look at what completed after the last death."""
    if len(group.tasks) != 1:
        return None, False
    filters = {
        "task": group.tasks[0],
        "state": State.COMPLETED,
        "enqueued_after": group.last_at.isoformat(),
        **({"queue": wanted["queue"]} if wanted.get("queue") else {}),
    }
    found = await page_outlines(view.database, filters, limit=LETTERS)
    return len(found.items), found.next is not None


def _filter_fields(
    chosen: ChosenGroup | None, status: str, common: Mapping[str, str | None]
) -> dict[str, str]:
    """The filter of a bulk action on the whole group, a hidden field each."""
    if chosen is None:
        return {}
    fields = {"fingerprint": chosen.group.fingerprint, "status": status, **common}
    return {f"filter.{name}": value for name, value in fields.items() if value}
