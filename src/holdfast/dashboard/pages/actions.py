"""Bulk actions: the recent ones, and one of them with its progress and what became of the jobs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from starlette.requests import Request

from holdfast.api.request.access import Access
from holdfast.client.audit import EventFilter, event_wire
from holdfast.client.bulk_actions import page_actions, read_action
from holdfast.client.read_id import read_id
from holdfast.dashboard.job_filters import Chip, Query, as_query, chips, pairs_of
from holdfast.dashboard.page import Page, Shown, View
from holdfast.db.audit import list_events
from holdfast.model.access_key import AccessAction, Caller
from holdfast.model.action import ActionName, BulkAction
from holdfast.model.human_readable import counted
from holdfast.model.id import JobId
from holdfast.model.masking import MASKED, Masking
from holdfast.model.state import State
from holdfast.report.words import count, duration

PAGE = 50
MOST_FILTERS = 4  # that a row names
NO_REASON = ("", "cancelled", "cancelled over HTTP")  # of a cancel
VERBS = {
    ActionName.CANCEL: "Cancel",
    ActionName.REPLAY: "Replay",
    ActionName.RECLAIM: "Reclaim",
    ActionName.COMPLETE: "Complete",
    ActionName.FAIL: "Give up",
    ActionName.SET_PRIORITY: "Set the priority of",
    ActionName.REPLAY_DEAD_LETTERS: "Replay",
    ActionName.RESOLVE_DEAD_LETTERS: "Resolve",
    ActionName.MOVE: "Move",
}
# What became of jobs, where the result is no plain word.
OUTCOMES = {
    "asked": "running, asked to stop",
    "ended": "had ended already",
    "busy": "another transaction was changing them",
    "not_found": "no longer existed",
    "live": "had not ended",
    "conflict": "another job has taken their unique key",
    "replaced": "were replaced by another job",
    "dead": "given up",
    "set": "have the new priority",
    "not_running": "were not running",
    "ready": "moved, ready",
    "scheduled": "moved, scheduled",
}


@dataclass(frozen=True, slots=True)
class ActionSheet:
    """A bulk action in words. `list_path` and `query` lead to the jobs that its filter matches now."""

    action: BulkAction
    stopped_by: str | None = None

    @property
    def is_dry(self) -> bool:
        return self.action.settings.get("dry_run") is True

    @property
    def noun(self) -> str:
        return "dead letter" if self.action.action.is_on_letters else "job"

    @property
    def title(self) -> str:
        matched = self.matched
        subject = f"{self.noun}s" if matched is None else counted(matched, self.noun)
        words = f"{VERBS[self.action.action]} {subject}"
        return f"Dry run: {words[0].lower()}{words[1:]}" if self.is_dry else words

    @property
    def matched(self) -> int | None:
        found = (self.action.result or {}).get("matched")
        progress = self.action.progress
        return found if found is not None or progress is None else progress.total

    @property
    def done(self) -> int:
        return sum(number for _, number in self.counts) or (
            self.action.progress.done if self.action.progress else 0
        )

    @property
    def counts(self) -> list[tuple[str, int]]:
        """The most frequent outcome first."""
        found: dict[str, int] = (self.action.result or {}).get("counts", {})
        return sorted(((_outcome(name), number) for name, number in found.items()), key=lambda one: -one[1])

    @property
    def verdict(self) -> str:
        match self.action.state:
            case State.COMPLETED if self.is_dry:
                return f"{counted(self.matched or 0, self.noun)} would be changed. Nothing was."
            case State.COMPLETED:
                return f"{_sentence(self.counts) or 'Nothing matched'}."
            case State.RUNNING:
                return self._pace_so_far()
            case State.CANCELLED if not self.counts:
                return self._cancelled()
            case State.CANCELLED | State.REJECTED | State.DEAD:
                done = f"{_sentence(self.counts)} before that" if self.counts else "Nothing was changed"
                by = f" by {self.stopped_by}" if self.stopped_by else ""
                return f"Stopped{by}: {(self.action.problem or 'no reason is known').rstrip('.')}. {done}."
            case _:
                return "It waits for a server: holdfast serve does bulk actions, four at a time."

    def _cancelled(self) -> str:
        """Of one that changed nothing: without the words that stand for no reason."""
        by = f" by {self.stopped_by}" if self.stopped_by else ""
        when = " before it started" if self.matched is None and self.action.progress is None else ""
        why = (self.action.problem or "").rstrip(".")
        said = "" if why in NO_REASON else f" ({why})"
        return f"Cancelled{by}{when}{said}; nothing was changed."

    def _pace_so_far(self) -> str:
        progress = self.action.progress
        total = "" if self.matched is None else f" of {count(self.matched)}"
        rate = f", {progress.rate:,.3g}/s" if progress and progress.rate else ""
        left = f", about {duration(progress.eta)} left" if progress and progress.eta else ""
        return f"{count(self.done)}{total} done{rate}{left}."

    @property
    def filters(self) -> dict[str, Any]:
        found: dict[str, Any] = self.action.settings.get("filter", {})
        return found

    @property
    def chips(self) -> list[Chip]:
        state = self.filters.get("state")
        return ([Chip("state", state, {})] if state else []) + chips(pairs_of(self.filters))

    @property
    def filter_words(self) -> str:
        """state dead, queue mail"""
        return ", ".join(f"{one.words} {one.value[:100]}" for one in self.chips[:MOST_FILTERS])

    @property
    def list_path(self) -> str:
        return "/dead" if self.action.action.is_on_letters else "/jobs"

    @property
    def query(self) -> Query:
        found = as_query(pairs_of(self.filters))
        if self.action.action.is_on_letters and "fingerprint" in found:
            found["group"] = found.pop("fingerprint")  # as the page of dead letters calls it
        return found

    @property
    def settings(self) -> dict[str, Any]:
        """Besides the filter."""
        left_out = ("filter", "dry_run")
        return {name: one for name, one in self.action.settings.items() if name not in left_out}

    @property
    def canaries(self) -> list[str]:
        found: list[str] = (self.action.result or {}).get("canaries", [])
        return found

    @property
    def stopped(self) -> str | None:
        return (self.action.result or {}).get("stopped")


class BulkActions(Page):
    path = "/actions"
    template = "actions.html"
    is_live = False

    async def allow(self, access: Access, request: Request, path: Mapping[str, str]) -> Caller:
        return await access.check(request, AccessAction.READ_JOB)

    async def read(self, view: View) -> Shown:
        """A key with a scope sees the actions that it asked for itself."""
        cursor = view.get("cursor")
        place = JobId(read_id(cursor)) if cursor else None
        found = await page_actions(view.database, place, PAGE, None if view.sees_all else view.caller)
        sheets = [ActionSheet(_shown(one, view.masking)) for one in found.items]
        return Shown("Bulk actions", {"sheets": sheets, "next": found.next, "is_first": not cursor})


class BulkActionPage(Page):
    path = "/actions/{action}"
    template = "action.html"

    async def allow(self, access: Access, request: Request, path: Mapping[str, str]) -> Caller:
        return await access.check_action(request, JobId(read_id(path["action"])), AccessAction.READ_JOB)

    async def read(self, view: View) -> Shown:
        action = await read_action(view.database, JobId(read_id(view.path["action"])))
        sheet = ActionSheet(_shown(action, view.masking), await _stopped_by(view, action))
        title = f"{sheet.action.state.capitalize()} · {sheet.title}"
        again = _again(view, action) if sheet.action == action else {}  # masked settings cannot be sent back
        return Shown(
            title, {"sheet": sheet, "again": again}, here=sheet.title, crumbs=(("Bulk actions", "/actions"),)
        )


def _shown(action: BulkAction, masking: Masking) -> BulkAction:
    return replace(action, settings=_masked(action.settings, masking))


def _masked(settings: Mapping[str, Any], masking: Masking) -> dict[str, Any]:
    """Their own names and those of filters are Holdfast's; payloads are filtered by paths."""
    filters = {name: masking.masked(one) for name, one in settings.get("filter", {}).items()}
    if "payload" in filters:
        found = filters["payload"].items()
        filters["payload"] = {path: MASKED if masking.hides(path) else one for path, one in found}
    shown = {name: masking.masked(one) for name, one in settings.items()}
    return shown | ({"filter": filters} if "filter" in settings else {})


def _again(view: View, action: BulkAction) -> dict[str, Any]:
    """The settings of one that was cancelled before it changed anything."""
    is_untouched = action.state is State.CANCELLED and not (action.result or {}).get("counts")
    return dict(action.settings) if view.may_operate and is_untouched else {}


async def _stopped_by(view: View, action: BulkAction) -> str | None:
    """As the audit trail says, of one that was cancelled; a key with a scope learns no other name."""
    if action.state is not State.CANCELLED:
        return None
    wanted: EventFilter = {"job": action.id, "cause": "cancel"}
    found = (await list_events(view.database, event_wire(wanted), None, 1)).items
    who = (found[0].actor or found[0].login)[:200] if found else None
    return who if view.sees_all or who == view.caller.name else None


def _outcome(result: str) -> str:
    return OUTCOMES.get(result, result.replace("_", " "))


def _sentence(counts: list[tuple[str, int]]) -> str:
    return "; ".join(f"{count(number)} {words}" for words, number in counts)
