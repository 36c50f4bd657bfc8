"""One job: why it is not running, its life on a time axis, its data, and what can be done about it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from starlette.requests import Request

from holdfast.api.request.access import Access
from holdfast.api.request.scoped_view import all_seen_by, seen_by
from holdfast.client.read_id import read_id
from holdfast.dashboard.job.actions import actions_on, has_masked
from holdfast.dashboard.job.data import read_data, tabs_of
from holdfast.dashboard.job.facts import labels_of, policy_words
from holdfast.dashboard.job.life import READ, life_of
from holdfast.dashboard.job.line import with_line
from holdfast.dashboard.job.reasons import passed_checks, reasons_of
from holdfast.dashboard.job.snippets import Snippet, enqueue_snippets, read_snippets
from holdfast.dashboard.job.verdict import verdict_on
from holdfast.dashboard.json_code import text_block
from holdfast.dashboard.page import Page, Shown, View
from holdfast.dashboard.words import short_id
from holdfast.db import dead, jobs, stats
from holdfast.model.access_key import AccessAction, Caller
from holdfast.model.error import NotFound
from holdfast.model.id import JobId
from holdfast.model.job import Job, JobDetails
from holdfast.model.masking import Masked
from holdfast.report.charts.flow import axis_track, bar_track, grid_track, portions_bar

CHARTS = {one.__name__: one for one in (axis_track, grid_track, bar_track, portions_bar)}
HEADINGS = {"running": "Where it runs", "ended": "How it ended"}


class JobPage(Page):
    path = "/jobs/{job_id}"
    template = "job.html"

    async def allow(self, access: Access, request: Request, path: Mapping[str, str]) -> Caller:
        return await access.check(request, AccessAction.READ_JOB, jobs=[_id(path)])

    def job_of(self, path: Mapping[str, str]) -> JobId | None:
        return _id(path)

    async def read(self, view: View) -> Shown:
        """A job that has left the key's scope since the access was checked is not shown."""
        shown = await self._read(view)
        await _check_scope(view)
        return shown

    async def _read(self, view: View) -> Shown:
        job, details = await _job(view)
        values = {
            "job": job,
            "details": details,
            **await _explained(view, job, details),
            **await _life(view, job, details),
            **await read_data(view, job, details),
            "tabs": tabs_of(job, details),
            "letter": await _letter(view, job),
            "policy": policy_words(details.retry),
            "trace": details.trace_id,
            "labels": labels_of(view.masking.masked(job.labels)),
            "block": text_block,
            "again": _again(view, job, details),
            "reading": read_snippets(job),
        }
        values["actions"] = await actions_on(view, job, details, values["letter"])
        heading = str(job.state).capitalize()
        name = f"{job.task} {short_id(job.id)}"
        return Shown(f"{heading} · {name}", values, here=name, crumbs=(("Jobs", "/jobs"),))


def _id(path: Mapping[str, str]) -> JobId:
    return JobId(read_id(path["job_id"]))


async def _job(view: View) -> tuple[Job, JobDetails]:
    job = _id(view.path)
    found, details = await jobs.get_job(view.database, job), await jobs.get_details(view.database, job)
    if found is None or details is None:
        raise _no_job(job)
    return seen_by(view.caller, found), details


async def _check_scope(view: View) -> None:
    """One that ended and has been pruned since was not moved."""
    found = [] if view.sees_all else await jobs.job_outlines(view.database, [_id(view.path)])
    if not all(view.caller.sees(one.queue, one.task) for one in found):
        raise _no_job(_id(view.path))


def _no_job(job: JobId) -> NotFound:
    return NotFound(f"There is no job {job}.", "ended jobs are deleted after the retention of their queue")


async def _explained(view: View, job: Job, details: JobDetails) -> dict[str, Any]:
    """Empty if the job ended and was pruned since it was read."""
    blockers = all_seen_by(view.caller, await stats.explain(view.database, job.id))
    reasons, remarks = reasons_of(blockers, job, details, view.now)
    reasons = await with_line(view, job, blockers, reasons)
    failed = await jobs.list_attempts(view.database, job.id, 1) if details.attempts else []
    kind = "ended" if job.is_ended else str(job.state)
    return {
        "reasons": reasons,
        "remarks": remarks,
        "passed": passed_checks(blockers, job),
        "why": HEADINGS.get(kind, "Why it is not running"),
        "verdict": verdict_on(job, reasons, failed[0] if failed else None, view.now),
    }


async def _life(view: View, job: Job, details: JobDetails) -> dict[str, Any]:
    entries = all_seen_by(view.caller, await stats.timeline(view.database, job.id, READ))
    return {"life": life_of(job, details, entries, view.now), **CHARTS}


async def _letter(view: View, job: Job) -> Any:
    """Its dead letter, also after a replay."""
    found = await dead.get_letter(view.database, job.id)
    return None if found is None else seen_by(view.caller, found)


def _again(view: View, job: Job, details: JobDetails) -> list[Snippet]:
    """Without labels that are masked."""
    labels = view.masking.masked(job.labels)
    shown = {name: value for name, value in labels.items() if not isinstance(value, Masked)}
    return enqueue_snippets(replace(job, labels=shown), details, not view.sees_all, has_masked(view, job))
