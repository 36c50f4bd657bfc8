"""One queue: figures, depth over time, settings and where they come from, and actions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from starlette.requests import Request

from holdfast.api.request.access import Access
from holdfast.api.request.scoped_view import seen_by
from holdfast.client.report.period import choose_period
from holdfast.dashboard.kept import Kept
from holdfast.dashboard.page import Page, Shown, View
from holdfast.dashboard.pages.overview import HOUR, PERIODS
from holdfast.dashboard.pages.queue_depth import depth_chart
from holdfast.dashboard.pages.queue_settings import DEFAULT, shown_settings
from holdfast.dashboard.pages.queues import causes_of, state_of
from holdfast.db import depths, flags, queues, stats, worker_needs
from holdfast.db.dead import find_letters
from holdfast.db.queue_figures import queue_figures
from holdfast.model.access_key import AccessAction, Caller
from holdfast.model.dead_letter import Triage
from holdfast.model.error import NotFound
from holdfast.model.human_readable import counted
from holdfast.model.queue import INTERNAL_QUEUE
from holdfast.model.report import Period
from holdfast.model.stats import EndStats
from holdfast.model.worker_need import TARGET, WorkerNeed
from holdfast.report.markup import Markup

MOST_SAMPLES = 12_000  # a week of minutes
SUGGESTED = 200


@dataclass(frozen=True, slots=True)
class Figures:
    """By the minute. `chart`: None without a sample. `ends`: of the last hour; None without an end."""

    period: Period
    chart: Markup | None
    need: WorkerNeed
    ends: EndStats | None


@dataclass(frozen=True, slots=True)
class Suggested:
    """Names to choose from in forms."""

    tasks: Sequence[str]
    queues: Sequence[str]


class Queue(Page):
    path = "/queues/{name:path}"
    template = "queue.html"

    def __init__(self) -> None:
        self._figures: Kept[tuple[str, str], Figures] = Kept(timedelta(seconds=15))
        self._names: Kept[str, Suggested] = Kept(timedelta(seconds=30))
        self._letters: Kept[str, datetime | None] = Kept(timedelta(seconds=30))

    async def allow(self, access: Access, request: Request, path: Mapping[str, str]) -> Caller:
        return await access.check(request, AccessAction.LIST_JOBS, queues=[path["name"]])

    async def read(self, view: View) -> Shown:
        name = view.path["name"]
        details = seen_by(view.caller, await queues.get_queue(view.database, name))
        found = await queue_figures(view.database, [name], with_people=view.sees_all)
        if not found:
            raise NotFound(f"There is no queue {name!r}.", "the page of queues lists all of them")
        since = view.get("since") if view.get("since") in dict(PERIODS) else PERIODS[0][0]
        figures = await self._figures.get((name, since), lambda: _figures(view, name, since), view.share)
        own_flags = await flags.queue_flags(view.database, name) if view.sees_all else None
        state = state_of(found[0], view.now)
        queue = found[0]
        settings = shown_settings(details, own_flags)
        every = [one for group in settings.values() for one in group]
        values = {
            "queue": queue,
            "cause": (await causes_of(view, found)).get(name),
            "died": await self._letters.get(name, lambda: _last_death(view, name), view.share)
            if queue.dead
            else None,
            "ends": figures.ends,
            "may_change": view.may_operate and name != INTERNAL_QUEUE,
            "is_internal": name == INTERNAL_QUEUE,
            "own_settings": [one for one in every if one.source != DEFAULT],
            "defaults": [one for one in every if one.source == DEFAULT],
            "details": details,
            "state": state,
            "figures": figures,
            "need": figures.need,
            "target": TARGET,
            "periods": PERIODS,
            "since": since,
            "settings": settings,
            "rescue": next(
                (one for one in own_flags or () if one.name == "rescue" and one.value == "off"), None
            ),
            "suggested": await self._suggested(view, name),
        }
        verdict = counted(queue.dead, "dead letter") if queue.dead else state.capitalize()
        return Shown(f"{verdict} · {name}", values, here=name, crumbs=(("Queues", "/queues"),))

    async def _suggested(self, view: View, name: str) -> Suggested:
        """A key with a scope is told no name that is not in it."""
        if view.sees_all and view.may_operate:
            return await self._names.get("", lambda: _names(view), view.share)
        return Suggested(view.caller.tasks or (), view.caller.queues or ())


async def _figures(view: View, name: str, since: str) -> Figures:
    period = choose_period(since, view.now)
    samples = await depths.depth_history(view.database, period.length, name, MOST_SAMPLES)
    need = await worker_needs.recommended_workers(view.database, name, TARGET)
    ends = await stats.end_stats(view.database, HOUR, queue=name)
    return Figures(period, depth_chart(period, samples), need, ends[0] if ends else None)


async def _last_death(view: View, name: str) -> datetime | None:
    """Of its open dead letters; None if none of them is among those that one call looks at."""
    found = await find_letters(view.database, {"queue": name, "status": Triage.OPEN}, limit=1)
    return found.items[0].died_at if found.items else None


async def _names(view: View) -> Suggested:
    return Suggested(
        await queues.task_names(view.database, SUGGESTED), await queues.queue_names(view.database, SUGGESTED)
    )
