"""The first page: what is wrong, how much work there is, how it flows. Before the first job: how to begin."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request

from holdfast.api.request.access import Access
from holdfast.client.doctor_checks import Finding, examine
from holdfast.client.overview import read_overview
from holdfast.client.period_figures import PeriodFigures, read_period
from holdfast.client.report.parts import retries as retries_of
from holdfast.dashboard.depth_lines import Line, by_minute, depths, drawn
from holdfast.dashboard.kept import Kept
from holdfast.dashboard.page import Elsewhere, Page, Shown, View
from holdfast.dashboard.pages.queues import worst_first
from holdfast.dashboard.troubles import ALL_IS_WELL, SHOWN, Trouble, all_is_well, troubles, verdict
from holdfast.db.dead import main_causes
from holdfast.db.depths import depth_history
from holdfast.db.overview import count_tasks, parked_jobs
from holdfast.model.access_key import AccessAction, Caller
from holdfast.model.dead_letter import LetterCause
from holdfast.model.overview import Overview as Found
from holdfast.model.overview import Parked
from holdfast.model.queue import INTERNAL_QUEUE
from holdfast.model.report import NO_ENDS, Ends
from holdfast.report.charts.sparkline import sparkline
from holdfast.report.markup import Markup
from holdfast.report.sections.queues import ranges
from holdfast.report.sections.tasks import retries
from holdfast.report.sections.throughput import finished, throughput

PERIODS = (("1h", "1 h"), ("6h", "6 h"), ("24h", "24 h"), ("7d", "7 d"))
HOUR = timedelta(hours=1)
RUNNING, ENDED = 6, 7  # rows, at any time
STATES = {
    "ready": "ready",
    "running": "running",
    "scheduled": "scheduled",
    "waiting": "quiet",
}  # their colours


@dataclass(frozen=True, slots=True)
class Figures:
    """Of the whole installation, by the minute. `drawn`: what a page shows of them, which takes half of the
    time that a page takes to write.
    """

    ends: PeriodFigures
    lines: Mapping[str, Line]
    findings: Sequence[Finding]
    ready: Mapping[str, Sequence[int]]
    drawn: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Total:
    """Live jobs in one state. `sampled` is an exact count, as old as it is, if the count was capped."""

    number: int
    is_more: bool
    sampled: int
    sampled_at: datetime | None


class Overview(Page):
    path = "/"
    template = "overview.html"

    def __init__(self) -> None:
        self._figures: Kept[str, Figures] = Kept(timedelta(seconds=15))
        self._causes: Kept[tuple[str, ...], dict[str, LetterCause]] = Kept(timedelta(minutes=1))
        self._parked: Kept[tuple[str, ...] | None, Parked] = Kept(timedelta(seconds=5))

    async def allow(self, access: Access, request: Request, path: Mapping[str, str]) -> Caller:
        # It lists no task, so that a key for some tasks is refused: queues are not counted by task.
        return await access.check(request, AccessAction.LIST_JOBS, queues=[])

    async def read(self, view: View) -> Shown:
        found = await read_overview(view.database, view.caller.queues, with_errors=False)
        since = view.get("since") if view.get("since") in dict(PERIODS) else PERIODS[0][0]
        figures = await self._figures.get(since, lambda: _figures(view, since), view.share)
        if view.sees_all and _is_new(found):
            return await _first_run(view, found, figures.findings)
        findings = figures.findings if view.sees_all else []
        listed = troubles(found, figures.lines, await self._causes_of(view, found), findings)
        words = verdict(found, listed, view.sees_all, findings)
        values = {
            "is_new": False,
            "found": _without_own(found),
            "verdict": words,
            "look": _look(words, listed),
            "troubles": [*listed, *all_is_well(listed, view.sees_all, findings)][:SHOWN],
            "more_troubles": listed[SHOWN:],
            "rows": {"troubles": SHOWN, "running": RUNNING, "ended": ENDED},
            "periods": PERIODS,
            "since": since,
            "parked": await self._parked_of(view),
            **_shown(found, figures, view.sees_all),
        }
        return Shown(f"{words} · Overview", values, here="Overview")

    async def _parked_of(self, view: View) -> Parked:
        queues = None if view.caller.queues is None else tuple(view.caller.queues)
        return await self._parked.get(queues, lambda: parked_jobs(view.database, queues), view.share)

    async def _causes_of(self, view: View, found: Found) -> dict[str, LetterCause]:
        """Of the open dead letters of each queue that is named first."""
        named = tuple([one.subject for one in found.problems if one.section == "dead"][:SHOWN])
        if not named:
            return {}
        return await self._causes.get(named, lambda: main_causes(view.database, named), view.share)


class CaptureMonitor(Overview):
    """The address of an earlier monitor, which leads to the overview."""

    path = "/dev/capture-monitor"
    is_live = False

    async def read(self, view: View) -> Shown:
        raise Elsewhere(f"/?{urlencode(view.query)}" if view.query else "/")


async def _figures(view: View, since: str) -> Figures:
    ends = await read_period(view.database, since, view.now)
    lines = by_minute(await depth_history(view.database, HOUR))
    shown = {
        **_drawn(ends.ended, ends.queues, list(lines.values())),
        "end_spark": sparkline([one.ends.jobs for one in finished(ends)], "completed"),
        "chart": throughput(ends),
    }
    ready = {name: depths([line], "ready") for name, line in lines.items()}
    return Figures(ends, lines, (await examine(view.database)).findings, ready, shown)


def _shown(found: Found, figures: Figures, sees_all: bool) -> dict[str, Any]:
    """Figures of the queues that the caller sees."""
    return {
        "totals": {state: _total(found, state) for state in STATES},
        "dead": sum(one.dead for one in found.queues),
        "paused_ready": sum(one.ready for one in found.queues if one.paused),
        "queue_sparks": _queue_sparks(found, figures.ready),
        **(figures.drawn if sees_all else _limited(found, figures)),
    }


def _limited(found: Found, figures: Figures) -> dict[str, Any]:
    names = [one.name for one in found.queues]
    queues = {name: ends for name, ends in figures.ends.queues.items() if name in names}
    lines = [line for name, line in figures.lines.items() if name in names]
    return {**_drawn(_sum(queues.values()), queues, lines), "end_spark": "", "chart": None}


def _drawn(ended: Ends, queues: Mapping[str, Ends], lines: Sequence[Line]) -> dict[str, Any]:
    return {
        "ended": ended,
        "sparks": {state: drawn(depths(lines, state), colour) for state, colour in STATES.items()},
        "ranges": ranges(queues),
        "retries": retries(ended, retries_of(ended)),
    }


def _look(words: str, listed: Sequence[Trouble]) -> str:
    return listed[0].look if listed else "ok" if words.startswith(ALL_IS_WELL) else "attention"


def _without_own(found: Found) -> Found:
    """The queues in trouble first, without the one of Holdfast's own jobs: what is wrong with it
    is among the problems.
    """
    queues = worst_first([one for one in found.queues if one.name != INTERNAL_QUEUE], found.now)
    ended = [one for one in found.ended if one.queue != INTERNAL_QUEUE]
    return replace(found, queues=queues, ended=ended)


def _total(found: Found, state: str) -> Total:
    capped = [one for one in found.queues if state in one.more_than]
    exact = sum(getattr(one, state) for one in found.queues if state not in one.more_than)
    return Total(
        sum(getattr(one, state) for one in found.queues),
        bool(capped),
        exact + sum(max(getattr(one, state), getattr(one, f"sampled_{state}") or 0) for one in capped),
        min((one.sampled_at for one in capped if one.sampled_at), default=None),
    )


def _queue_sparks(found: Found, ready: Mapping[str, Sequence[int]]) -> dict[str, Markup]:
    """The ready jobs of each queue in the last hour."""
    return {
        one.name: drawn(ready[one.name], "failed" if one.grows else "ready")
        for one in found.queues
        if one.name in ready
    }


def _sum(found: Iterable[Ends]) -> Ends:
    """Counts only: percentiles of several queues do not add up."""
    every = list(found)
    counts = [one.name for one in fields(Ends) if one.type is int]
    return replace(NO_ENDS, **{name: sum(getattr(one, name) for one in every) for name in counts})


def _is_new(found: Found) -> bool:
    """No job was ever enqueued, as far as can be seen."""
    own = [one for one in found.queues if one.name != INTERNAL_QUEUE]
    return not found.ended and not any(
        one.waiting + one.scheduled + one.ready + one.running + one.dead for one in own
    )


async def _first_run(view: View, found: Found, findings: Sequence[Finding]) -> Shown:
    values = {
        "is_new": True,
        "workers": found.capacity.workers,
        "tasks": await count_tasks(view.database),
        "checks": [one for one in findings if one.check in ("postgres", "schema", "durability")],
    }
    return Shown("Ready for the first job · Overview", values, here="Overview")
