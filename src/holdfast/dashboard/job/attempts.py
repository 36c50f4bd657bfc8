"""The attempts of a job, as far as its timeline tells: when each ran, how it ended, what it did."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from holdfast.model.state import ENDS
from holdfast.model.timeline import TimelineEntry

RUNNING = "running"
UNRECORDED = "unrecorded"  # it snoozed or waited, of which a queue keeps no record unless its detail is full
FAILURES = frozenset({"failed", "timed_out", "deferred", "lost", "forgiven"})
CALLS = frozenset({"model call", "tool call"})
INNER = CALLS | {"checkpoint"}


@dataclass(slots=True)
class Attempt:
    """`since` is None if its start was not recorded, `until` while it runs.

    `outcome`: completed, advanced, running, a kind of failure, or the verb that ended it. `visit` counts the
    stage visits of a job in a pipeline; the same number in another generation is another visit.
    """

    number: int
    since: datetime | None = None
    until: datetime | None = None
    outcome: str = ""
    words: str | None = None
    detail: dict[str, Any] = field(default_factory=dict)
    inner: list[TimelineEntry] = field(default_factory=list)
    ended_job: bool = False

    @property
    def stage(self) -> str | None:
        return self.detail.get("stage")

    @property
    def visit(self) -> int | None:
        return self.detail.get("visit")

    @property
    def ready_at(self) -> datetime | None:
        return moment(self.detail.get("ready_at"))

    @property
    def retry_at(self) -> datetime | None:
        return moment(self.detail.get("retry_at"))

    @property
    def is_error(self) -> bool:
        return self.outcome in FAILURES

    def begins(self) -> datetime | None:
        """At the latest: its first call began while it ran."""
        calls = [began(one) for one in self.inner if one.what in CALLS]
        return self.since or min(calls, default=None)


def attempts_of(entries: Iterable[TimelineEntry]) -> list[Attempt]:
    """In the order of their numbers."""
    found: dict[int, Attempt] = {}
    for entry in entries:
        if entry.attempt:
            _add(found, entry)
    for one in found.values():
        one.since = one.begins()
        if not one.outcome and one.inner:
            one.outcome, one.until = UNRECORDED, one.inner[-1].at
    return [found[number] for number in sorted(found) if found[number].outcome]


def began(call: TimelineEntry) -> datetime:
    return call.at - timedelta(seconds=float(call.detail.get("seconds") or 0))


def moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _add(found: dict[int, Attempt], entry: TimelineEntry) -> None:
    one = found.setdefault(entry.attempt or 0, Attempt(entry.attempt or 0))
    detail, what = entry.detail, entry.what
    if what in INNER:
        one.inner.append(entry)
    elif what == "claim":
        one.since = entry.at
    elif what == RUNNING:
        one.since, one.outcome = entry.at, RUNNING
    elif what in FAILURES:
        _end(one, entry, what)
    elif what == "stage":
        _end(one, entry, "advanced")
        one.detail["stage"] = entry.words
    elif what in ENDS:
        _end_of_job(one, entry)
    elif what == "end" and detail.get("from") == RUNNING:
        _end_of_life(one, entry)
    elif detail.get("from") == RUNNING and detail.get("to") != RUNNING and not one.outcome:
        _end(one, entry, what)


def _end(one: Attempt, entry: TimelineEntry, outcome: str) -> None:
    one.until, one.outcome, one.words = entry.at, outcome, entry.words
    one.since = moment(entry.detail.get("started_at")) or one.since
    one.detail |= entry.detail


def _end_of_job(one: Attempt, entry: TimelineEntry) -> None:
    """A job that ends without a worker ends no attempt. A failure says more than the death that followed."""
    if "started_at" not in entry.detail:
        return
    stage, one.ended_job = one.stage, True
    if not one.is_error:
        _end(one, entry, entry.what)
    one.detail |= {"ready_at": entry.detail.get("ready_at")} | ({"stage": stage} if stage else {})


def _end_of_life(one: Attempt, entry: TimelineEntry) -> None:
    """Of an earlier generation: the job was replayed since."""
    one.ended_job = True
    if not one.outcome:
        _end(one, entry, str(entry.detail.get("to")))
        one.until = moment(entry.detail.get("ended_at")) or entry.at
