"""The list of jobs: filters in its address, a search box, and actions on some of them or all that match."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from time import monotonic
from typing import Any

from starlette.requests import Request

from holdfast.api.request.access import Access
from holdfast.client.filters import letter_wire
from holdfast.client.read_id import read_id
from holdfast.dashboard.bulk_offers import OpenLetters, as_letters, offers_for_filter, offers_for_selection
from holdfast.dashboard.job_filters import JobQuery, in_scope, lasting, read_job_query, words_of
from holdfast.dashboard.job_rows import job_rows
from holdfast.dashboard.job_search import found_by
from holdfast.dashboard.kept import Kept
from holdfast.dashboard.page import Elsewhere, Page, Shown, View
from holdfast.db.dead import fingerprints, letters_by_status
from holdfast.db.figures import read_depths
from holdfast.db.jobs import page_outlines
from holdfast.db.queues import named_queues, queue_names, task_names
from holdfast.model.access_key import AccessAction, Caller
from holdfast.model.dead_letter import Triage
from holdfast.model.error import InvalidInput
from holdfast.model.id import JobId, created_at
from holdfast.model.job import JobOutline
from holdfast.model.page import Page as Part
from holdfast.model.queue import INTERNAL_QUEUE
from holdfast.model.state import State

PAGE = 50  # jobs; an action takes the ids of 100
# Where few jobs fit a filter, a page looks further back, so often and for so many seconds.
LOOKS, PATIENCE = 10, 0.05
NAMES = 200  # suggestions of queues and tasks
COUNTED = (State.WAITING, State.SCHEDULED, State.READY, State.RUNNING)


@dataclass(frozen=True, slots=True)
class Count:
    """Of the jobs in a state. `is_more`: counted to here; `is_about`: a sample of the last minutes."""

    jobs: int
    is_more: bool = False
    is_about: bool = False


class Jobs(Page):
    path = "/jobs"
    template = "jobs.html"
    is_live = False

    def __init__(self) -> None:
        self._counts: Kept[str, dict[str, Count]] = Kept(timedelta(seconds=5))
        self._letters: Kept[str, OpenLetters] = Kept()

    async def allow(self, access: Access, request: Request, path: Mapping[str, str]) -> Caller:
        """A key for some queues or tasks lists one of them at a time."""
        caller = await access.check(request, AccessAction.READ_JOB)
        if caller.scope is None:
            return caller
        named = dict(in_scope(tuple(pair for pair in request.query_params.multi_items() if pair[1]), caller))
        queues, tasks = ([named[name]] if name in named else None for name in ("queue", "task"))
        return await access.check(request, AccessAction.LIST_JOBS, queues=queues, tasks=tasks)

    async def read(self, view: View) -> Shown:
        wanted = read_job_query(view.query, view.caller, view.masking)
        found: Part[JobOutline, JobId] = Part([], None)
        try:
            if view.get("q"):
                raise Elsewhere(await found_by(view, view.get("q")))
            if not wanted.problem:
                found = await _look(view, wanted)
        except InvalidInput as exc:
            wanted = JobQuery(wanted.pairs, {}, words_of(exc))
        jobs = found.items
        is_whole = found.next is None and not view.get("cursor")
        title = f"{len(jobs)}{'' if is_whole else '+'} {'job' if len(jobs) == 1 and is_whole else 'jobs'}"
        values = {
            "wanted": wanted,
            "rows": await job_rows(view, jobs),
            "cause": await _one_cause(view, wanted, jobs),
            "all_ended": bool(jobs) and all(one.ended_at is not None for one in jobs),
            "next": found.next,
            "back_to": None if found.next is None else created_at(found.next),
            "is_first": not view.get("cursor"),
            "cursor": view.get("cursor") or None,
            "before": jobs[0].created_at if jobs else None,
            "states": list(State),
            "counts": _with_listed(await self._counted(view, wanted), wanted, len(jobs), is_whole),
            "scopes": _scopes(view.caller),
            **await _choices(view),
            **await self._offers(view, wanted, jobs, is_whole),
        }
        return Shown(f"{title} · Jobs", values, here="Jobs")

    async def _counted(self, view: View, wanted: JobQuery) -> Mapping[str, Count]:
        """Live jobs by state, where they are counted by queue anyway: not with another filter."""
        if wanted.filters.keys() - {"state", "queue"} or wanted.problem:
            return {}
        queue = wanted.filters.get("queue", "")
        return await self._counts.get(queue, lambda: _counts(view, queue), view.share)

    async def _offers(
        self, view: View, wanted: JobQuery, jobs: Sequence[JobOutline], is_whole: bool
    ) -> dict[str, Any]:
        if not view.may_operate or wanted.problem or wanted.get("queue") == INTERNAL_QUEUE:
            return {"offers": [], "bulk_offers": []}
        letters = None
        if (same := as_letters(wanted.filters)) is not None:
            key = json.dumps(same, sort_keys=True, default=str)
            letters = await self._letters.get(key, lambda: _open_letters(view, same), view.share)
        return {
            "offers": offers_for_selection(jobs),
            "bulk_offers": offers_for_filter(wanted.filters, jobs, is_whole, letters),
            "bulk_filter": lasting(wanted.filters, view.now),
        }


def _with_listed(
    counts: Mapping[str, Count], wanted: JobQuery, jobs: int, is_whole: bool
) -> Mapping[str, Count]:
    """A state whose jobs are not counted by queue is counted by its list, if that is whole."""
    state = wanted.get("state")
    return {**counts, state: Count(jobs)} if counts and is_whole and state and state not in counts else counts


async def _one_cause(view: View, wanted: JobQuery, jobs: Sequence[JobOutline]) -> str | None:
    """The fingerprint of dead jobs that share one."""
    if wanted.get("state") != State.DEAD or len(jobs) < 2:
        return None
    found = set((await fingerprints(view.database, [one.id for one in jobs])).values())
    return found.pop() if len(found) == 1 else None


async def _look(view: View, wanted: JobQuery) -> Part[JobOutline, JobId]:
    """A page of jobs, which may be less than full and not the last."""
    cursor, jobs, begun = view.get("cursor"), list[JobOutline](), monotonic()
    place = JobId(read_id(cursor)) if cursor else None
    for _ in range(LOOKS):
        found = await page_outlines(view.database, wanted.filters, place, PAGE - len(jobs))
        jobs, place = [*jobs, *found.items], found.next
        if place is None or len(jobs) >= PAGE or monotonic() - begun > PATIENCE:
            break
    return Part(jobs, place)


async def _counts(view: View, queue: str) -> dict[str, Count]:
    if queue:
        return {
            state: Count(getattr(one, state), state in one.more_than)
            for one in await named_queues(view.database, [queue])
            for state in COUNTED
        }
    depths = [one for one in await read_depths(view.database) if one.queue != INTERNAL_QUEUE]
    is_about = any(one.sample_age is not None for one in depths)
    return {state: Count(sum(getattr(one, state) for one in depths), is_about=is_about) for state in COUNTED}


def _scopes(caller: Caller) -> list[tuple[str, list[str]]]:
    """What a key may choose from, where it must name one."""
    own = (("queue", caller.queues), ("task", caller.tasks))
    return [(name, names) for name, names in own if names is not None and len(names) > 1]


async def _choices(view: View) -> dict[str, Any]:
    """Names that the form suggests; a key with a scope learns none but its own."""
    if not view.sees_all:
        return {"queues": view.caller.queues or [], "tasks": view.caller.tasks or []}
    return {
        "queues": await queue_names(view.database, NAMES),
        "tasks": await task_names(view.database, NAMES),
    }


async def _open_letters(view: View, filters: Mapping[str, Any]) -> OpenLetters:
    found = await letters_by_status(view.database, await letter_wire(view.database, dict(filters)))
    return OpenLetters(found.of[Triage.OPEN] + found.of[Triage.INVESTIGATING], found.is_partial)
