"""Jobs as rows of a table: what each does, waits for or failed with, and how long it waited and ran."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from holdfast.dashboard.job.facts import labels_of
from holdfast.dashboard.page import View
from holdfast.dashboard.words import progress_words
from holdfast.db.jobs import latest_errors
from holdfast.model.attempt import JobError
from holdfast.model.id import JobId
from holdfast.model.job import JobOutline
from holdfast.model.state import State
from holdfast.report.words import duration

LABELS = 2  # more are counted
WAITS = {
    "order": "Waits for an earlier job with its order key",
    "children": "Waits for its children",
    "budget": "Waits for the budget of its run",
}
DEATHS = {
    "failed_too_often": "failed as often as its queue allows",
    "lost_too_often": "its workers were lost as often as its queue allows",
    "permanent": "a permanent error is not retried",
    "deferred_too_long": "waited longer than its queue allows",
    "deadline_passed": "its deadline passed",
    "child_failed": "a job that it waited for did not complete",
    "given_up": "an operator gave it up",
}


@dataclass(frozen=True, slots=True)
class JobRow:
    """`error` is the type of an error, which stands before the `words`. `due_at`: of a job that is not due
    yet; `waited`: how long the others were ready before they started, or are.
    """

    job: JobOutline
    error: str
    words: str
    due_at: datetime | None
    waited: timedelta | None
    ran: timedelta | None

    @property
    def labels(self) -> list[str]:
        return [f"{one.name}={one.value}" for one in labels_of(self.job.labels)[:LABELS]]

    @property
    def more_labels(self) -> int:
        return max(0, len(self.job.labels) - LABELS)

    @property
    def all_words(self) -> str:
        return f"{self.error}: {self.words}" if self.error and self.words else self.error or self.words


async def job_rows(view: View, jobs: Sequence[JobOutline]) -> list[JobRow]:
    """With the latest error of those that failed and did not complete."""
    failed = [one.id for one in jobs if _may_have_error(one)]
    errors = await latest_errors(view.database, failed) if failed else {}
    shown = [replace(one, labels=view.masking.masked(one.labels)) for one in jobs]
    return [_row(one, errors, view.now) for one in shown]


def _may_have_error(job: JobOutline) -> bool:
    tried = job.failures + job.losses + job.deferrals > 0
    return job.state is not State.COMPLETED and (tried or job.state is State.DEAD)


def _row(job: JobOutline, errors: Mapping[JobId, JobError], now: datetime) -> JobRow:
    error = errors.get(job.id)
    until = job.ended_at or now
    is_due = job.due_at is None or job.due_at <= now
    return JobRow(
        job,
        (error.error_type or "") if error and _shows_error(job) else "",
        _words(job, error if _shows_error(job) else None, now),
        None if is_due else job.due_at,
        _span(job.ready_at, job.started_at if job.state.is_end else job.started_at or now)
        if is_due
        else None,
        _span(job.started_at, until) if job.state is State.RUNNING or job.state.is_end else None,
    )


def _shows_error(job: JobOutline) -> bool:
    """Of a job that waits for something else, or that a person ended, the reason says more."""
    return job.state in (State.SCHEDULED, State.READY, State.DEAD) or (
        job.state is State.RUNNING and job.progress is None
    )


def _words(job: JobOutline, error: JobError | None, now: datetime) -> str:
    if job.cancel_asked_at is not None:
        return f"A cancel was asked for {duration(now - job.cancel_asked_at)} ago"
    if error is not None:
        return f"{error.message or ''}{_after_error(job, now)}"
    return _reason(job, now)


def _reason(job: JobOutline, now: datetime) -> str:
    match job.state:
        case State.WAITING:
            return _wait(job.reason or "")
        case State.RUNNING if job.progress is not None:
            return progress_words(job.progress)
        case State.SCHEDULED if job.due_at is not None and job.due_at > now:
            return f"Due in {duration(job.due_at - now)}"
        case State.DEAD:
            return _death(job)
        case _:
            return job.reason or ""


def _after_error(job: JobOutline, now: datetime) -> str:
    if job.state is State.DEAD:
        return f" ({_death(job)})"
    if job.state is State.SCHEDULED and job.due_at is not None and job.due_at > now:
        return f" (again in {duration(job.due_at - now)})"
    return ""


def _death(job: JobOutline) -> str:
    return DEATHS.get(job.reason or "", job.reason or "")


def _wait(what: str) -> str:
    kind, _, name = what.partition(":")
    return f"Waits for the signal {name}" if kind == "signal" else WAITS.get(what, what)


def _span(since: datetime | None, until: datetime | None) -> timedelta | None:
    return None if since is None or until is None else max(timedelta(), until - since)
