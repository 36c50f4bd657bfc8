"""The verdict on a job: a shape and one sentence, the reason first."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from holdfast.dashboard.job.reasons import Reason
from holdfast.dashboard.job.row_words import waited_for
from holdfast.model.attempt import Attempt
from holdfast.model.human_readable import counted
from holdfast.model.job import Job
from holdfast.model.state import State
from holdfast.report.words import duration

LOOKS = {
    State.COMPLETED: ("completed", "ok"),
    State.DEAD: ("dead", "bad"),
    State.REJECTED: ("rejected", "rejected"),
    State.CANCELLED: ("cancelled", "cancelled"),
    State.RUNNING: ("running", "running"),
    State.SCHEDULED: ("scheduled", "scheduled"),
    State.WAITING: ("waiting", "waiting"),
}


@dataclass(frozen=True, slots=True)
class Verdict:
    symbol: str
    look: str
    words: str
    more: str = ""


def verdict_on(job: Job, reasons: Sequence[Reason], last: Attempt | None, now: datetime) -> Verdict:
    """`reasons`: what blocks it, which the page lists below; `last`: the latest attempt that went wrong."""
    heading = str(job.state).capitalize()
    if job.is_ended:
        return _of_ended(job, last, heading, now)
    since = duration(now - job.changed_at) if job.changed_at else None
    if job.state is State.RUNNING:
        words = f"Running for {duration(now - (job.started_at or now))}, attempt {job.attempt}."
        more = "A cancel was asked for." if job.cancel_asked_at else str(job.progress or "")
        return Verdict("running", "running", words, more)
    if job.state is State.READY and not reasons:
        return Verdict("ready", "ready", f"Ready for {since}.", "A worker may start it now.")
    symbol, look = LOOKS.get(job.state, ("failed", "attention"))
    more = ""
    if job.state is State.WAITING:
        more = f"It waits for {waited_for(job.reason)}."
    elif job.due_at and job.due_at > now:
        more = f"It is due in {duration(job.due_at - now)}."
    elif reasons:
        more = _first_sentence(reasons[0])
    return Verdict(symbol, look, f"{heading} for {since}." if since else f"{heading}.", more)


def _first_sentence(reason: Reason) -> str:
    """The page lists the whole of it."""
    words = f"{reason.subject} {reason.words}" if reason.subject else reason.words
    sentence = re.split(r"[.;] ", words, maxsplit=1)[0]
    return f"{sentence.removesuffix('.')}."[:300]


def _of_ended(job: Job, last: Attempt | None, heading: str, now: datetime) -> Verdict:
    symbol, look = LOOKS[job.state]
    ended = job.ended_at or now
    words = f"{heading} {duration(now - ended)} ago, {duration(ended - job.created_at)} after its enqueue."
    more = []
    if job.state is State.DEAD and last is not None:
        more.append(": ".join(filter(None, (last.error_type, last.message)))[:300])
    elif job.reason:
        more.append(job.reason[:300])
    if job.attempt > 1:
        more.append(f"{counted(job.attempt, 'attempt')}.")
    return Verdict(symbol, look, words, " ".join(more))
