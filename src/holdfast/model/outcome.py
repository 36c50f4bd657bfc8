"""How an attempt ends, as a value; `end_of` turns each into the arguments of the SQL function."""

import json
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from math import isfinite
from typing import Any, NamedTuple, assert_never

from holdfast.model.evidence import Evidence
from holdfast.model.payload import JsonText
from holdfast.model.storable_text import storable, storable_tail


class Verb(StrEnum):
    """What a worker may do with a job that it holds."""

    COMPLETE = "complete"
    FAIL = "fail"
    SNOOZE = "snooze"
    RELEASE = "release"
    REJECT = "reject"
    ADVANCE = "advance"
    WAIT = "wait"
    CANCEL = "cancel"


class ErrorClass(StrEnum):
    """What a failure means for the next attempt."""

    TRANSIENT = "transient"
    RATE_LIMITED = "rate_limited"
    PERMANENT = "permanent"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """The recorded error of a failure."""

    error_class: ErrorClass
    type: str
    message: str
    traceback: str | None = None
    place: str | None = None


@dataclass(frozen=True, slots=True)
class Completed:
    output: JsonText | None = None
    units: float | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    error: ErrorReport
    retry_after: timedelta | None = None
    units: float | None = None
    timed_out: bool = False
    refused: bool = False
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class Snoozed:
    delay: timedelta
    reason: str
    units: float | None = None


@dataclass(frozen=True, slots=True)
class Released:
    """`yielded`: the handler itself returned the job, which shows that it makes progress."""

    reason: str
    units: float | None = None
    yielded: bool = False


@dataclass(frozen=True, slots=True)
class Rejected:
    reason: str
    output: JsonText | None = None
    units: float | None = None


@dataclass(frozen=True, slots=True)
class Advanced:
    """Go to a stage (by default the next) or to several; options that are None stay unchanged."""

    stage: str | None = None
    output: JsonText | None = None
    task: str | None = None
    queue: str | None = None
    endpoint: str | None = None
    group: str | None = None
    priority: int | None = None
    delay: timedelta | None = None
    units: float | None = None
    stages: tuple[str, ...] | None = None
    on_failure: str | None = None


@dataclass(frozen=True, slots=True)
class Waiting:
    """The job waits for a signal or for children, without a worker."""

    what: str
    timeout: timedelta | None = None
    units: float | None = None


@dataclass(frozen=True, slots=True)
class CancelledByRequest:
    reason: str
    units: float | None = None


Outcome = Completed | Failed | Snoozed | Released | Rejected | Advanced | Waiting | CancelledByRequest


class End(NamedTuple):
    """One element of the arrays that settle takes."""

    verb: Verb
    output: JsonText | None
    detail: str | None


_encode = json.JSONEncoder(ensure_ascii=False).encode

# Most jobs of a fast queue end like this. One shared object avoids an allocation per job, and a call whose
# ends are all this one sends it once.
DONE = End(Verb.COMPLETE, None, None)


def end_of(outcome: Outcome) -> End:
    match outcome:
        case Completed(output, units):
            end = End(Verb.COMPLETE, output, _detail(units=units))
        case Failed():
            end = End(Verb.FAIL, None, _failure(outcome))
        case Snoozed(delay, reason, units):
            seconds = delay.total_seconds()
            end = End(Verb.SNOOZE, None, _detail(delay=seconds, reason=storable(reason), units=units))
        case Released(reason, units, yielded):
            detail = _detail(reason=storable(reason), units=units, yielded=yielded or None)
            end = End(Verb.RELEASE, None, detail)
        case Rejected(reason, output, units):
            end = End(Verb.REJECT, output, _detail(reason=storable(reason), units=units))
        case Advanced():
            end = End(Verb.ADVANCE, outcome.output, _next_stage(outcome))
        case Waiting(what, timeout, units):
            patience = None if timeout is None else timeout.total_seconds()
            end = End(Verb.WAIT, None, _detail(**{"for": storable(what, 220)}, timeout=patience, units=units))
        case CancelledByRequest(reason, units):
            end = End(Verb.CANCEL, None, _detail(reason=storable(reason), units=units))
        case _:
            assert_never(outcome)
    return end


def with_progress(end: End, report: JsonText) -> End:
    """The end, which also stores the last report of the attempt's progress."""
    said = "{" if end.detail is None else f"{end.detail[:-1]}, "
    return end._replace(detail=f'{said}"progress": {report}}}')


def units_of(end: End) -> float | None:
    """The units that the attempt used."""
    said = {} if end.detail is None else json.loads(end.detail)
    units = said.get("units")
    return units if isinstance(units, int | float) and isfinite(units) else None


def _failure(failed: Failed) -> str | None:
    error = failed.error
    return _detail(
        **{"class": error.error_class},
        outcome="timed_out" if failed.timed_out else "failed",
        type=storable(error.type, 200),
        message=storable(error.message),
        traceback=None if error.traceback is None else storable_tail(error.traceback),
        place=None if error.place is None else storable(error.place, 500),
        retry_after=None if failed.retry_after is None else failed.retry_after.total_seconds(),
        units=failed.units,
        refused=failed.refused or None,
        evidence=failed.evidence,
    )


def _next_stage(advanced: Advanced) -> str | None:
    return _detail(
        stage=advanced.stage,
        task=advanced.task,
        queue=advanced.queue,
        endpoint=advanced.endpoint,
        group=advanced.group,
        priority=advanced.priority,
        delay=None if advanced.delay is None else advanced.delay.total_seconds(),
        units=advanced.units,
        stages=advanced.stages,
        on_failure=advanced.on_failure,
    )


def _detail(**fields: Any) -> str | None:
    said = {name: value for name, value in fields.items() if value is not None}
    return _encode(said) if said else None
