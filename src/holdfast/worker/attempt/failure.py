"""Turns the exception of a handler into the end of its attempt. The only place that does."""

from holdfast.model.classify import STANDARD, Verdict
from holdfast.model.end_attempt import Cancelled, Permanent, RateLimited, Reject, Retry, Snooze, Yield
from holdfast.model.error import DatabaseUnavailable, InvalidInput, NotConfigured, TransactionConflict
from holdfast.model.evidence import Evidence, evidence_in
from holdfast.model.outcome import (
    CancelledByRequest,
    End,
    ErrorClass,
    ErrorReport,
    Failed,
    Outcome,
    Rejected,
    Released,
    Snoozed,
    Waiting,
    end_of,
    units_of,
)
from holdfast.model.printable import text_of
from holdfast.model.stage_routing import Suspend
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event
from holdfast.worker.attempt.error_report import report_of
from holdfast.worker.attempt.running_attempt import Attempt, Stop
from holdfast.worker.call.process.process_death import ProcessDied, ProcessNotStarted


def end_after(exc: BaseException, attempt: Attempt) -> End:
    """The end of an attempt whose handler raised. An exception whose own attributes raise must not hide it:
    the attempt would never end, and keep its slot.
    """
    try:
        return end_of(outcome_of(exc, attempt))
    except BaseException as broken:
        message = f"{text_of(exc)} (one of its attributes raised {type(broken).__name__})"
        report = ErrorReport(ErrorClass.TRANSIENT, type(exc).__name__, message)
        return end_of(Failed(report, units=attempt.units))


def outcome_of(exc: BaseException, attempt: Attempt) -> Outcome:
    """A stopped attempt ends by the reason for the stop, whatever its handler raised."""
    if attempt.stop is not None:
        return _stopped(attempt.stop, exc, attempt)
    exc = _suspension(exc)
    match exc:
        case Snooze() | Yield():
            return _put_off(exc, attempt)
        case Suspend():
            return Waiting(exc.what, exc.timeout, attempt.units)
        case Reject():
            return Rejected(exc.reason, units=attempt.units)
        case Cancelled():
            return CancelledByRequest(exc.reason, attempt.units)
        case _:
            return _failed(exc, attempt)


def _suspension(exc: BaseException) -> BaseException:
    """The wait inside an exception group, if that ended the attempt; else the exception itself."""
    while isinstance(exc, BaseExceptionGroup) and (found := exc.subgroup(Suspend)) is not None:
        exc = found.exceptions[0]
    return exc


def _put_off(exc: Snooze | Yield, attempt: Attempt) -> Outcome:
    match exc:
        case Snooze():
            return Snoozed(exc.delay, exc.reason, attempt.units)
        case Yield():
            return Released(exc.reason, attempt.units, yielded=True)


def _failed(exc: BaseException, attempt: Attempt) -> Failed:
    evidence = _evidence(exc, attempt)
    match exc:
        case RateLimited():
            return Failed(report_of(exc, ErrorClass.RATE_LIMITED), exc.retry_after, attempt.units)
        case Retry():
            report = report_of(exc, ErrorClass.TRANSIENT)
            return Failed(report, exc.delay, attempt.units, evidence=evidence)
        case Permanent() | InvalidInput():
            return Failed(report_of(exc, ErrorClass.PERMANENT), units=attempt.units, evidence=evidence)
        case ProcessDied():
            report = ErrorReport(ErrorClass.TRANSIENT, "ProcessDied", str(exc))
            return Failed(report, units=attempt.units, evidence=evidence)
        case ProcessNotStarted() | NotConfigured() | TransactionConflict() | DatabaseUnavailable():
            # Not the job's fault. Without a traceback: it says nothing about the job's endpoint.
            return Failed(ErrorReport(ErrorClass.SYSTEM, type(exc).__name__, str(exc)), units=attempt.units)
        case _:
            verdict = _classified(exc, attempt)
            report = report_of(exc, verdict.error_class)
            if verdict.error_class is ErrorClass.SYSTEM:
                evidence = Evidence.NONE  # the task classifies it as a fault of the installation
            wait, refused = verdict.retry_after, verdict.refused
            return Failed(report, wait, attempt.units, refused=refused, evidence=evidence)


def _evidence(exc: BaseException, attempt: Attempt) -> Evidence:
    """About the endpoint, if the job has one: what the exception tells, else what the handler has set."""
    if attempt.job.endpoint is None:
        return Evidence.NONE
    found = evidence_in(exc)
    if found is None and attempt.endpoint_ok is not None:
        found = Evidence.of(attempt.endpoint_ok)
    return found or Evidence.NONE


def _classified(exc: BaseException, attempt: Attempt) -> Verdict:
    """By the task's own rules; without them if they fail."""
    try:
        return attempt.handler.classify(exc)
    except BaseException as broken:
        emit(Event.CLASSIFY_FAILED, task=attempt.job.task, because=broken)
        return STANDARD(exc)


def unknown_task(name: str) -> Outcome:
    """A fault of the installation, not of the job: not counted as a failure."""
    message = f"This worker has no handler for the task {name}; import the module that defines it."
    return Failed(ErrorReport(ErrorClass.SYSTEM, "UnknownTask", message))


def refused_end(end: End, why: str) -> Outcome:
    """The database refused the end itself, and would refuse it again. The used units count."""
    message = f"The end of the attempt could not be recorded: {why}"
    return Failed(ErrorReport(ErrorClass.PERMANENT, "EndRefused", message), units=units_of(end))


def _stopped(stop: Stop, exc: BaseException, attempt: Attempt) -> Outcome:
    match stop:
        case Stop.TIMED_OUT:
            # What it was doing is unknown; most often it waits for an answer.
            evidence = Evidence.of(attempt.endpoint_ok or False)
            return Failed(_timeout(exc, attempt), units=attempt.units, timed_out=True, evidence=evidence)
        case Stop.ASKED:
            return CancelledByRequest(attempt.reason or stop.value, attempt.units)
        case Stop.WORKER_LEAVES | Stop.BOX_ENDS | Stop.LEASE_EXPIRED | Stop.BY_OTHERS:
            return Released(stop.value, attempt.units)


def _timeout(exc: BaseException, attempt: Attempt) -> ErrorReport:
    if attempt.handler.process is not None:
        message = f"The process was killed: {Stop.TIMED_OUT}."  # its position is unknown
        return ErrorReport(ErrorClass.TRANSIENT, "TimedOut", message)
    error = report_of(exc, ErrorClass.TRANSIENT)
    message = f"The attempt was stopped: {Stop.TIMED_OUT}."
    return ErrorReport(error.error_class, "TimedOut", message, error.traceback, error.place)
