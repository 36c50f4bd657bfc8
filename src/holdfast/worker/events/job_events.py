"""Logs how attempts start and end. An end is logged when the database has recorded it, not before."""

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import islice
from typing import Any, NamedTuple

from holdfast.db.statement import Executor
from holdfast.db.worker import attempt_results
from holdfast.model.attempt import AttemptResult
from holdfast.model.error import HoldfastError
from holdfast.model.id import JobId, Token, WorkerId
from holdfast.model.job import ClaimedJob
from holdfast.model.outcome import End, Verb
from holdfast.model.state import State
from holdfast.model.worker import LostEnd
from holdfast.telemetry.emit import emit, is_wanted
from holdfast.telemetry.event_list import Event
from holdfast.telemetry.hooks import hear
from holdfast.worker.attempt.running_attempt import Stop

_SUCCESS = {
    Verb.COMPLETE: Event.JOB_COMPLETED,
    Verb.ADVANCE: Event.JOB_ADVANCED,
    Verb.WAIT: Event.JOB_WAITING,
}
_PLAIN = {**_SUCCESS, Verb.CANCEL: Event.JOB_CANCELLED}
# Only the database knows what follows from these, and only it can remove secrets from their texts.
_DECIDED_BY_THE_DATABASE = (Verb.FAIL, Verb.REJECT)
_OTHER_ENDS = (
    *(Event.JOB_FAILED, Event.JOB_DEAD, Event.JOB_DEFERRED),
    *(Event.JOB_REJECTED, Event.JOB_CANCELLED),
)
_STOPS = frozenset(stop.value for stop in Stop)
# Per statement, and in all: if the database is away for longer, the rest is logged without its results.
_MOST_READ = 200
_MOST_WAITING = 10_000
_LAST_READ = timedelta(seconds=2)


class Ended(NamedTuple):
    """An attempt whose end is on its way to the database."""

    job: ClaimedJob
    end: End
    seconds: float
    error: BaseException | None


class JobEvents:
    """Looks up what is wanted at the start and in every sweep: a plain job costs the test of a flag."""

    def __init__(self, me: WorkerId, on_failure: Callable[[], None]) -> None:
        """`on_failure`: called when there are results to read, so that `read` runs soon."""
        self._me = me
        self._on_failure = on_failure
        self.unrecorded: dict[tuple[JobId, Token], Ended] = {}  # on their way to the database
        self._decided: dict[tuple[JobId, int], Ended] = {}  # recorded; their results are not read yet
        self.endpoints: set[str] = set()  # of the jobs so far
        self._look_up()

    def _look_up(self) -> None:
        self.has_starts = is_wanted(Event.JOB_STARTED)
        self.has_successes = any(map(is_wanted, _SUCCESS.values()))
        self.has_hooks = any(map(hear, _OTHER_ENDS))  # only a hook gets the exception itself
        self._has_others = any(map(is_wanted, _OTHER_ENDS))

    def started(self, jobs: Iterable[ClaimedJob]) -> None:
        for job in jobs:
            emit(Event.JOB_STARTED, **self._facts(job))

    def ended(self, job: ClaimedJob, end: End, seconds: float, error: BaseException | None) -> None:
        if self.has_successes if end.verb in _SUCCESS else self._has_others:
            self.unrecorded[job.id, job.token] = Ended(job, end, seconds, error)

    def refused(self, job: JobId, token: Token, refusal: End) -> None:
        """The database did not take the end of the attempt, and is sent this one instead."""
        if (ended := self.unrecorded.get((job, token))) is not None:
            self.unrecorded[job, token] = ended._replace(end=refusal)

    def completed(self, job: ClaimedJob, seconds: float) -> None:
        """In its own transaction, which has committed."""
        if self.has_successes:
            emit(Event.JOB_COMPLETED, **self._facts(job, seconds))

    def settled(self, ids: Sequence[JobId], tokens: Sequence[Token], lost: Sequence[LostEnd]) -> None:
        """The database has answered to these ends."""
        for one in lost:
            ended = self.unrecorded.pop((one.id, one.token), None)
            known = {"job": one.id, "worker": self._me} if ended is None else self._facts_of(ended)
            emit(Event.JOB_LOST, **known)
        for key in zip(ids, tokens, strict=True):
            if (ended := self.unrecorded.pop(key, None)) is not None:
                self._recorded(ended)

    async def read(self, on: Executor) -> int:
        """A maintenance task: logs failures with what the database decided."""
        self._look_up()
        keys = list(islice(self._decided, _MOST_READ))
        if not keys:
            return 0
        found = await attempt_results(on, [job for job, _ in keys], [attempt for _, attempt in keys])
        results = {(one.job, one.attempt): one for one in found}
        for key in keys:
            # A draining worker runs all maintenance tasks beside the sweeper: another read may be faster.
            if (ended := self._decided.pop(key, None)) is not None:
                self._failed(ended, results.get(key))
        if self._decided:
            self._on_failure()  # not at once: reading a storm of failures must not slow the database further
        return len(keys)

    async def close(self, on: Executor, within: timedelta) -> None:
        """The last results; without them, if the database does not answer, what this worker knows."""
        with suppress(HoldfastError, TimeoutError):
            async with asyncio.timeout(min(_LAST_READ, within).total_seconds()):
                while await self.read(on):
                    pass
        while self._decided:
            self._failed(self._decided.pop(next(iter(self._decided))), None)

    def _recorded(self, ended: Ended) -> None:
        job, end = ended.job, ended.end
        if end.verb in _PLAIN:
            emit(_PLAIN[end.verb], **self._facts_of(ended))
        elif end.verb not in _DECIDED_BY_THE_DATABASE:
            emit(Event.JOB_DEFERRED, exception=ended.error, **self._facts_of(ended), **_postponed(end))
        elif len(self._decided) >= _MOST_WAITING:
            self._failed(ended, None)
        else:
            self._decided[job.id, job.attempt] = ended
            self._on_failure()

    def _failed(self, ended: Ended, result: AttemptResult | None) -> None:
        event, follows = _verdict(ended.end, result)
        error = _error(ended.end, result)
        emit(event, exception=ended.error, **self._facts_of(ended), **error, **follows)

    def _facts_of(self, ended: Ended) -> dict[str, Any]:
        return self._facts(ended.job, ended.seconds)

    def _facts(self, job: ClaimedJob, seconds: float | None = None) -> dict[str, Any]:
        took = None if seconds is None else round(seconds, 3)
        return {
            "job": job.id,
            "task": job.task,
            "queue": job.queue,
            "attempt": job.attempt,
            "worker": self._me,
            "seconds": took,
        }


def _verdict(end: End, result: AttemptResult | None) -> tuple[Event, dict[str, Any]]:
    """Which event the end of a failed attempt is, and its fields about what follows."""
    if end.verb is Verb.REJECT:
        return Event.JOB_REJECTED, {}
    if result is None:
        return Event.JOB_FAILED, {"next": "not known here, the database has decided"}
    if result.state is State.DEAD:
        return Event.JOB_DEAD, {"reason": result.reason, "traceback": result.traceback}
    if result.state is State.CANCELLED:
        return Event.JOB_CANCELLED, {}
    event = Event.JOB_DEFERRED if result.outcome == "deferred" else Event.JOB_FAILED
    return event, {"retry_at": result.retry_at, "next": "retry" if event is Event.JOB_FAILED else None}


def _error(end: End, result: AttemptResult | None) -> dict[str, Any]:
    """Without the message unless the database has redacted it."""
    said = _said(end)
    if result is None:
        return {"class": said.get("class"), "error": said.get("type"), "place": said.get("place")}
    error = {"class": result.error_class, "error": result.error_type, "because": result.message}
    return {**error, "place": said.get("place")}


def _postponed(end: End) -> dict[str, Any]:
    """A handler's own words are left out: they may contain secrets."""
    said = _said(end)
    if end.verb is Verb.SNOOZE:
        return {"because": "the handler snoozed it", "delay": said.get("delay")}
    reason = said.get("reason")
    return {"because": reason if reason in _STOPS else "the handler yielded"}


def _said(end: End) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(end.detail or "{}")
    return said
