"""Why a job is not running: each cause with the page that shows it, then what is not the cause."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import quote

from holdfast.model.job import Job, JobDetails
from holdfast.model.state import State
from holdfast.model.timeline import Blocker

ENDPOINT = frozenset(
    {
        "held_open", "blocked", "circuit_open", "probing", "limit", "share", "rate", "requests", "units",
        "budget",
    }
)  # fmt: skip
NO_WORKER = frozenset({"no_worker", "no_worker_in_group", "suspect", "alone", "avoided"})
PAUSES = frozenset({"paused", "all_paused"})
LIMITS = frozenset({"queue_limit", "queue_rate", "task_limit", "task_rate"})
RUN_BUDGET = frozenset({"run_budget"})
NEVER = timedelta(days=3650)  # a wait without a timeout ends in a hundred years
# Of a job that waits in line or for its time. If no cause of a check holds, its words are true.
CHECKS = (
    (frozenset({"scheduled"}), "it is due"),
    (PAUSES, "its queue is not paused"),
    (NO_WORKER, "a worker serves its queue"),
    (ENDPOINT, "its endpoint takes calls"),
    (LIMITS | {"behind"}, "no limit of its queue or task is reached"),
    (RUN_BUDGET, "its run has budget"),
)


@dataclass(frozen=True, slots=True)
class Reason:
    """`path`: the page that shows the cause; empty if there is none. `subject`: the words before `words` that
    are its link; without them all words are.
    """

    words: str
    until: datetime | None
    path: str
    subject: str = ""


def reasons_of(
    blockers: Sequence[Blocker], job: Job, details: JobDetails, now: datetime
) -> tuple[list[Reason], list[Reason]]:
    """What blocks it, the first first; and remarks."""
    found = [(one.blocks, _reason(one, job, details, now)) for one in blockers]
    return [one for blocks, one in found if blocks], [one for blocks, one in found if not blocks]


def _reason(blocker: Blocker, job: Job, details: JobDetails, now: datetime) -> Reason:
    until = blocker.until if blocker.until and blocker.until - now < NEVER else None
    return Reason(blocker.detail, until, _path(blocker.blocker, job, details))


def passed_checks(blockers: Sequence[Blocker], job: Job) -> list[str]:
    """What is not the cause; nothing for a job in a state in which these checks are not made."""
    if job.state not in (State.READY, State.SCHEDULED):
        return []
    found = {one.blocker for one in blockers}
    return [words for causes, words in CHECKS if not causes & found and _concerns(causes, job)]


def _concerns(causes: Collection[str], job: Job) -> bool:
    if causes is ENDPOINT:
        return job.endpoint is not None
    return job.run is not None if causes is RUN_BUDGET else True


def _path(cause: str, job: Job, details: JobDetails) -> str:
    queue = quote(job.queue, safe="")
    if cause in ENDPOINT or cause == "not_counted":
        return f"/endpoints/{quote(job.endpoint, safe='')}" if job.endpoint else "/endpoints"
    if cause in NO_WORKER or cause == "running":
        return f"/workers/{job.worker}" if job.worker else "/workers"
    if cause in PAUSES or cause in LIMITS:
        return f"/queues/{queue}"
    if cause == "children":
        return f"/runs/{details.child_runs[0]}" if details.child_runs else ""
    if cause == "run_budget":
        return f"/runs/{job.run}"
    paths = {
        "behind": f"/jobs?queue={queue}&state=ready",
        "order": f"/jobs?order_key={quote(job.order_key or '', safe='')}",
        "rules": "/rules",
        "schedule": "/schedules",
    }
    return paths.get(cause, "")
