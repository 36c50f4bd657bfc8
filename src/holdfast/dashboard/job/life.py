"""The life of a job as rows on a time axis: waits, attempts with what they did, and what else happened."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from holdfast.dashboard.job.attempts import RUNNING, Attempt, attempts_of
from holdfast.dashboard.job.row import Row
from holdfast.dashboard.job.row_words import attempt_rows, event_row, stage_row, wait_row
from holdfast.dashboard.job.waits import UNKNOWN, Wait, waits_of
from holdfast.model.job import Job, JobDetails
from holdfast.model.state import State
from holdfast.model.timeline import TimelineEntry
from holdfast.report.charts.flow import Axis, Portion

MOST = 200  # entries of a timeline that are drawn
READ = 1000  # that are read, to say how many more there are

PORTIONS = (
    (State.READY, "In line", "ready"),
    (State.SCHEDULED, "Put off", "scheduled"),
    (State.WAITING, "Waited", "quiet"),
    (UNKNOWN, "Not recorded", "quiet"),
)


@dataclass(frozen=True, slots=True)
class Life:
    """`earlier`: entries that are not drawn; `is_more`: there are more of them than that."""

    axis: Axis
    rows: list[Row]
    portions: list[Portion]
    earlier: int
    is_more: bool

    @property
    def length(self) -> timedelta:
        return self.axis.until - self.axis.since


@dataclass(slots=True)
class _Block:
    """Rows that belong together; `visit` names the stage visit they are part of."""

    at: datetime
    until: datetime
    rows: list[Row]
    visit: "_Visit | None" = None


@dataclass(frozen=True, slots=True)
class _Visit:
    number: int
    stage: str


def life_of(job: Job, details: JobDetails, entries: Sequence[TimelineEntry], now: datetime) -> Life:
    """`entries`: the latest of its timeline, the oldest first."""
    shown = _shown(entries)
    earlier = len(entries) - len(shown)
    began = entries[-MOST].at if earlier else job.created_at
    attempts = attempts_of(shown)
    waits = waits_of(job, shown, attempts, began, now)
    axis = Axis(began, job.ended_at or now, not job.is_ended)
    blocks = [
        *_attempt_blocks(job, details, attempts, now),
        *_wait_blocks(job, details, attempts, waits),
        *(_Block(one.at, one.at, [row]) for one in shown if (row := event_row(job, one))),
    ]
    rows = list(_rows(sorted(blocks, key=lambda one: (one.at, one.until)), now))
    return Life(axis, rows, _portions(attempts, waits, began, now), earlier, len(entries) >= READ)


def _shown(entries: Sequence[TimelineEntry]) -> list[TimelineEntry]:
    """The latest, and the start of the attempt that runs: without it that attempt would look ended."""
    return [one for one in entries[:-MOST] if one.what == RUNNING] + list(entries[-MOST:])


def _portions(
    attempts: Iterable[Attempt], waits: Sequence[Wait], began: datetime, now: datetime
) -> list[Portion]:
    """Where the time went since `began`; nothing for what took none."""
    runs = [(max(one.since, began), one.until or now) for one in attempts if one.since is not None]
    ran = sum((until - since for since, until in runs), start=timedelta())
    found = [
        Portion(words, colour, sum((one.length for one in waits if one.state == state), start=timedelta()))
        for state, words, colour in PORTIONS
    ]
    return [one for one in [*found, Portion("Ran", "running", ran)] if one.length > timedelta()]


def _attempt_blocks(
    job: Job, details: JobDetails, attempts: Sequence[Attempt], now: datetime
) -> Iterator[_Block]:
    failures = 0
    before: _Visit | None = None
    for one in attempts:
        visit = _visit_of(job, details, one)
        failures = (0 if visit != before else failures) + bool(one.detail.get("counted"))
        before = visit
        rows = attempt_rows(one, failures, details.max_failures, now)
        yield _Block(one.since or one.until or now, one.until or now, rows, visit)


def _wait_blocks(
    job: Job, details: JobDetails, attempts: Sequence[Attempt], waits: Sequence[Wait]
) -> Iterator[_Block]:
    """A job waits for the attempt that follows: it belongs to the stage visit of that."""
    for wait in waits:
        following = next((one for one in attempts if one.since and one.since >= wait.until), None)
        visit = _visit_of(job, details, following)
        yield _Block(wait.since, wait.until, [wait_row(job, wait)], visit)


def _visit_of(job: Job, details: JobDetails, attempt: Attempt | None) -> _Visit | None:
    """Without an attempt, and for one that says nothing of it, the visit in which the job is or ended."""
    if attempt is not None and attempt.visit is not None and attempt.stage:
        return _Visit(attempt.visit, attempt.stage)
    return _Visit(details.visit, job.stage) if job.stage else None


def _rows(blocks: Sequence[_Block], now: datetime) -> Iterator[Row]:
    """With a heading before the first row of each stage visit."""
    present: _Visit | None = None
    for place, block in enumerate(blocks):
        if block.visit is not None and block.visit != present:
            present = block.visit
            yield _heading(present, blocks[place:], now)
        yield from (one.deeper() if present else one for one in block.rows)


def _heading(visit: _Visit, blocks: Sequence[_Block], now: datetime) -> Row:
    """From its first block on."""
    until = max(one.until for one in blocks if one.visit == visit)
    others = [one.visit.stage for one in blocks if one.visit is not None and one.visit != visit]
    following = others[0] if others else None
    return stage_row(visit.stage, visit.number, following, blocks[0].at, until, until >= now)
