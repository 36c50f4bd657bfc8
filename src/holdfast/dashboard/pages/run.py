"""One run: how far it is, when it ends, what it costs, which of its jobs need a look, and its actions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from starlette.requests import Request

from holdfast.api.request.access import Access
from holdfast.client.read_id import read_id
from holdfast.client.run import progress_of
from holdfast.dashboard.job.facts import labels_of
from holdfast.dashboard.job_rows import JobRow, job_rows
from holdfast.dashboard.kept import Kept
from holdfast.dashboard.page import Page, Shown, View
from holdfast.dashboard.run.progress_bar import progress_bar
from holdfast.dashboard.run.verdict import clock_after, clock_style, roughly, spread, verdict_on
from holdfast.db import runs
from holdfast.db.jobs import page_outlines
from holdfast.model.access_key import AccessAction, Caller
from holdfast.model.error import NotFound
from holdfast.model.id import RunId
from holdfast.model.job import JobOutline
from holdfast.model.run_progress import RunDetails, RunForecast, RunProgress
from holdfast.model.state import State
from holdfast.report.words import percent

LISTED = 6  # jobs in each list
LOOKED_AT = 200  # jobs in a state, the newest: the slowest are chosen among them
STATES = {
    "live": (State.READY, State.RUNNING, State.SCHEDULED, State.WAITING),
    "ended": (State.COMPLETED, State.REJECTED, State.CANCELLED, State.DEAD),
}
BADGES = {"open": ("ready", "ready"), "sealed": ("running", "running")}


@dataclass(frozen=True, slots=True)
class Remarkable:
    """Jobs that need a look: the newest dead ones, those that run longest, the slowest that completed.
    `running_of` and `completed_of`: among how many these were chosen.
    """

    dead: Sequence[JobRow]
    running: Sequence[JobRow]
    completed: Sequence[JobRow]
    running_of: int
    completed_of: int


class RunPage(Page):
    path = "/runs/{run_id}"
    template = "run.html"

    def __init__(self) -> None:
        self._jobs: Kept[tuple[RunId, str | None], Remarkable] = Kept(timedelta(seconds=5))
        self._forecasts: Kept[RunId, RunForecast | None] = Kept(timedelta(seconds=10))

    async def allow(self, access: Access, request: Request, path: Mapping[str, str]) -> Caller:
        """A key with a scope sees the runs that were started in it."""
        return await access.check(request, AccessAction.READ_JOB, runs=[read_id(path["run_id"])])

    async def read(self, view: View) -> Shown:
        run = RunId(read_id(view.path["run_id"]))
        progress = await progress_of(view.database, run)
        details = _seen_by(view.caller, await _details(view, run))
        forecast = None
        if view.sees_all and progress.ended_at is None:
            forecast = await self._forecasts.get(
                run, lambda: runs.run_forecast(view.database, run), view.share
            )
        verdict = verdict_on(progress)
        values = {
            "run": progress,
            "details": details,
            "forecast": forecast,
            "verdict": verdict,
            "badge_of": _badge(progress),
            "bar": progress_bar(progress, progress.running),
            "states": STATES,
            "labels": labels_of(view.masking.masked(details.labels)),
            "jobs": await self._jobs.get(
                (run, view.caller.scope), lambda: _remarkable(view, run), view.share
            ),
            "roughly": roughly,
            "spread": spread,
            "clock_after": clock_after,
            "clock_style": clock_style,
        }
        title = f"{_short(progress)} · {progress.name}"
        return Shown(title, values, here=progress.name, crumbs=(("Runs", "/runs"),) if view.sees_all else ())


async def _details(view: View, run: RunId) -> RunDetails:
    found = await runs.get_run(view.database, run)
    if found is None:
        raise NotFound(f"There is no run {run}.", "it may have been deleted")
    return found


def _seen_by(caller: Caller, run: RunDetails) -> RunDetails:
    """A key with a scope is not told of people."""
    if caller.scope is None:
        return run
    own = run.claimed_actor if run.claimed_actor == caller.name else None
    return replace(run, login=None, role=None, claimed_actor=own)


def _badge(run: RunProgress) -> tuple[str, str]:
    """Its shape and its colour."""
    if run.blocker is not None:
        return "failed", "attention"
    if run.state == "cancelled":
        return "cancelled", "cancelled"
    return BADGES.get(run.state, ("dead", "dead") if run.dead else ("completed", "completed"))


def _short(run: RunProgress) -> str:
    """At the beginning of the title: how far it is, or how it ended."""
    if run.ended_at is not None or not run.total:
        return run.state.capitalize()
    return "Waits for budget" if run.blocker else percent(run.ended / run.total)


async def _remarkable(view: View, run: RunId) -> Remarkable:
    dead = await _newest(view, run, State.DEAD, LISTED)
    running = await _newest(view, run, State.RUNNING, LOOKED_AT)
    completed = await _newest(view, run, State.COMPLETED, LOOKED_AT)

    async def longest(jobs: Sequence[JobOutline]) -> list[JobRow]:
        rows = await job_rows(view, jobs)
        return sorted(rows, key=lambda row: row.ran or timedelta(), reverse=True)[:LISTED]

    return Remarkable(
        await job_rows(view, dead),
        await longest(running),
        await longest(completed),
        len(running),
        len(completed),
    )


async def _newest(view: View, run: RunId, state: State, limit: int) -> list[JobOutline]:
    """Of the run's jobs in a state. A job that was moved out of the scope of the caller's key is left out."""
    found = await page_outlines(view.database, {"run": str(run), "state": state}, limit=limit)
    return [one for one in found.items if view.caller.sees(one.queue, one.task)]
