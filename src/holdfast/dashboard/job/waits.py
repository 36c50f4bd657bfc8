"""What a job waited for between its attempts, from what its timeline tells."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from holdfast.dashboard.job.attempts import FAILURES, RUNNING, Attempt, moment
from holdfast.model.job import Job
from holdfast.model.state import LIVE, State
from holdfast.model.timeline import TimelineEntry

ENDED = "ended"  # until a replay
UNKNOWN = "unknown"
# A job that becomes ready so soon after the moment before did not wait.
AT_ONCE = timedelta(milliseconds=100)
SHORTEST = timedelta(milliseconds=1)  # the time of creation is no more exact


@dataclass(frozen=True, slots=True)
class Wait:
    """`state` is waiting, scheduled, ready, ended, or unknown where no start was recorded. `reason`: what it
    waited for, as the job's own column has it. `after`: the attempt before; `unseen`: how many attempts since
    then left no record. `until` is now if `is_open`.
    """

    since: datetime
    until: datetime
    state: str
    reason: str | None = None
    after: Attempt | None = None
    unseen: int = 0
    is_open: bool = False

    @property
    def length(self) -> timedelta:
        return self.until - self.since


@dataclass(frozen=True, slots=True)
class _Change:
    at: datetime
    state: str
    reason: str | None = None


def waits_of(
    job: Job, entries: Sequence[TimelineEntry], attempts: Sequence[Attempt], began: datetime, now: datetime
) -> list[Wait]:
    """All time from `began` on in which no attempt ran."""
    found: list[Wait] = []
    cursor, before = began, None
    changes = list(_changes(entries))
    for one in attempts:
        until = one.until or now
        unseen = one.number - 1 - (before.number if before else 0)
        begins = one.since or until
        if begins > cursor:
            first = _first(job, before, job.ready_at if one.outcome == RUNNING else one.ready_at, cursor)
            parts = _split(cursor, begins, before, unseen, [*first, *changes])
            found += parts if one.since else [*parts[:-1], replace(parts[-1], state=UNKNOWN)]
        cursor, before = max(until, cursor), one
    found += _last(job, before, changes, cursor, now)
    return [one for one in found if one.length >= SHORTEST and one.state != ENDED]


def _last(
    job: Job, before: Attempt | None, changes: Sequence["_Change"], cursor: datetime, now: datetime
) -> list[Wait]:
    """After the latest attempt: until now, or until an end without a worker."""
    end = job.ended_at or now
    if job.state is State.RUNNING or end <= cursor:
        return []
    first = _first(job, before, job.ready_at, cursor)
    unseen = job.attempt - (before.number if before else 0)
    found = _split(cursor, end, before, unseen, [*first, *changes, *_present(job, cursor)])
    return [*found[:-1], replace(found[-1], is_open=not job.is_ended)]


def _changes(entries: Iterable[TimelineEntry]) -> Iterator[_Change]:
    """The state that each entry left the job in, where it says so."""
    for one in entries:
        to = one.detail.get("to")
        if one.what == "end":
            yield _Change(moment(one.detail.get("ended_at")) or one.at, ENDED)
        elif one.what == "wait":
            yield _Change(one.at, State.WAITING, one.words)
        elif to in LIVE and to != State.RUNNING and one.detail.get("from") != to:
            yield _Change(one.at, str(to), one.words if one.what == "budget" else None)


def _first(job: Job, before: Attempt | None, ready_at: datetime | None, at: datetime) -> Iterator[_Change]:
    """What the attempt before, or the enqueue, led to."""
    later = ready_at is not None and ready_at > at + AT_ONCE
    if before is None:
        parked = State.WAITING if job.order_key else State.SCHEDULED
        yield _Change(at, parked if later else State.READY, "order" if job.order_key else None)
    elif before.ended_job:
        yield _Change(at, ENDED)
    elif before.outcome in FAILURES:
        yield _Change(at, State.SCHEDULED if (before.retry_at or at) > at else State.READY)
        if before.retry_at is not None and not later:
            yield _Change(before.retry_at, State.READY)
    else:
        yield _Change(at, State.SCHEDULED if later else State.READY)
    if later and ready_at is not None:
        yield _Change(ready_at, State.READY)


def _present(job: Job, at: datetime) -> Iterator[_Change]:
    """The state that a live job is in, since when if that is known."""
    if not job.is_ended:
        since = max(at, job.changed_at or at)
        yield _Change(since, job.state, job.reason if job.state is State.WAITING else None)


def _split(
    since: datetime, until: datetime, before: Attempt | None, unseen: int, changes: Iterable[_Change]
) -> list[Wait]:
    """From `since` to `until`, cut at each change of state."""
    inside = sorted((one for one in changes if since <= one.at < until), key=lambda one: one.at)
    kept: list[_Change] = []
    for one in inside:
        if kept and kept[-1].state == one.state and one.reason in (None, kept[-1].reason):
            continue
        kept = [other for other in kept if other.at < one.at] + [one]
    ends = [*(one.at for one in kept[1:]), until]
    return [
        Wait(one.at, end, one.state, one.reason, before, unseen) for one, end in zip(kept, ends, strict=True)
    ]
