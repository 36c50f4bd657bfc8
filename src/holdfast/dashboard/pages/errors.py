"""Errors: attempts that went wrong in a period, in groups of one cause, the most frequent first."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from starlette.requests import Request

from holdfast.api.request.access import Access
from holdfast.api.request.pages import FARTHEST, read_number
from holdfast.client.errors import ErrorFilter, read_errors
from holdfast.client.report.period import choose_period
from holdfast.dashboard.kept import Kept
from holdfast.dashboard.page import Page, Shown, View
from holdfast.model.access_key import AccessAction, Caller
from holdfast.model.human_readable import counted
from holdfast.model.stats import ErrorPage
from holdfast.report.charts.sparkline import sparkline
from holdfast.report.words import count

PERIODS = (("1h", "1 h"), ("6h", "6 h"), ("24h", "24 h"), ("7d", "7 d"))
GROUPS = 25
FILTERS = ("queue", "task", "stage", "text")
PUT_OFF = "deferred"  # the outcome of an attempt

Key = tuple[str, int, tuple[tuple[str, str], ...], tuple[str, ...] | None]


@dataclass(frozen=True, slots=True)
class Causes:
    """`put_off`: of all attempts, those put off, such as by a rate limit, which costs no attempt."""

    page: ErrorPage
    put_off: int

    @property
    def deadly(self) -> str:
        """How many jobs died, and of how many causes: of the newest jobs of each cause that is shown."""
        deadly = [one for one in self.page.items if one.dead]
        if not deadly:
            return ""
        is_more = any(one.looked < one.jobs for one in deadly)
        dead = sum(one.dead for one in deadly)
        jobs = "1 job" if dead == 1 and not is_more else f"{count(dead, is_more)} jobs"
        return f"{counted(len(deadly), 'cause')} killed {jobs}"


class Errors(Page):
    path = "/errors"
    template = "errors.html"

    def __init__(self) -> None:
        self._kept: Kept[Key, Causes] = Kept(timedelta(seconds=10))

    async def allow(self, access: Access, request: Request, path: Mapping[str, str]) -> Caller:
        return await access.check(request, AccessAction.LIST_JOBS, queues=[])

    async def read(self, view: View) -> Shown:
        since = view.get("since") if view.get("since") in dict(PERIODS) else "1h"
        given = {name: view.get(name).strip() for name in FILTERS if view.get(name).strip()}
        skip = read_number(view.get("skip") or None, FARTHEST) or 0
        queues = None if view.caller.queues is None else tuple(view.caller.queues)
        key = (since, skip, tuple(sorted(given.items())), queues)
        causes = await self._kept.get(key, lambda: _read(view, since, skip, given), view.share)
        found = causes.page
        verdict = causes.deadly or f"{counted(found.total.groups, 'cause')} of failed attempts"
        values = {
            "found": found,
            "deadly": causes.deadly,
            "put_off": causes.put_off,
            "verdict": verdict,
            "periods": PERIODS,
            "since": since,
            "given": given,
            "names": FILTERS,
            "skip": skip,
            "following": skip + GROUPS if skip + GROUPS < min(found.total.groups, FARTHEST) else None,
            "lines": [sparkline(one.trend, "failed") for one in found.items],
            "whole": sparkline(found.total.trend, "failed"),
        }
        return Shown(f"{verdict} · Errors", values, here="Errors")


async def _read(view: View, since: str, skip: int, given: Mapping[str, str]) -> Causes:
    """A key for some queues sees the errors of these only. The period is that of the overview and of reports,
    which count by the minute: the same attempts are counted everywhere.
    """
    period = choose_period(since, view.now)
    wanted: ErrorFilter = {
        "queue": given.get("queue"),
        "task": given.get("task"),
        "stage": given.get("stage"),
        "text": given.get("text"),
        "queues": view.caller.queues,
    }
    page = await read_errors(view.database, period.length, GROUPS, skip, until=period.until, **wanted)
    if not any(PUT_OFF in one.outcomes for one in page.items):
        return Causes(page, 0)
    wanted["outcome"] = PUT_OFF
    put_off = await read_errors(view.database, period.length, 1, slices=0, until=period.until, **wanted)
    return Causes(page, put_off.total.attempts)
