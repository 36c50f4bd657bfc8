"""From what a handler raised to how its attempt ends. The only such place."""

import asyncio
import json
import logging
import traceback
from types import TracebackType

from holdfast.model.classify import STANDARD, Verdict
from holdfast.model.error import InvalidInput, NotConfigured, TransactionConflict
from holdfast.model.evidence import Evidence, evidence_in
from holdfast.model.job import ClaimedJob
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
    units_of,
)
from holdfast.model.route import Suspend
from holdfast.model.signal import Cancelled, Permanent, RateLimited, Reject, Retry, Snooze, Yield
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event import Event
from holdfast.worker.processes.death import ProcessDied, ProcessNotStarted
from holdfast.worker.running import Running, Stop


def outcome_of(exc: BaseException, running: Running) -> Outcome:
    """An attempt that was told to stop ends as told, whatever its handler made of it."""
    if running.stop is not None:
        return _stopped(running.stop, exc, running)
    exc = _suspension(exc)
    match exc:
        case Snooze() | Yield():
            return _put_off(exc, running)
        case Suspend():
            return Waiting(exc.what, exc.timeout, running.units)
        case Reject():
            return Rejected(exc.reason, units=running.units)
        case Cancelled():
            return CancelledByRequest(exc.reason, running.units)
        case _:
            return _failed(exc, running)


def failure_facts(job: ClaimedJob, end: End) -> dict[str, object]:
    """For the log, without the message: it may hold secrets, which only the database takes out."""
    said = json.loads(end.detail or "{}")
    known = {"job": job.id, "task": job.task, "attempt": job.attempt, "error": said.get("type")}
    return known | ({"place": said["place"]} if "place" in said else {})


def _suspension(exc: BaseException) -> BaseException:
    """A wait inside a task group, if that is what ended it; else the exception itself."""
    while isinstance(exc, BaseExceptionGroup) and (found := exc.subgroup(Suspend)) is not None:
        exc = found.exceptions[0]
    return exc


def _put_off(exc: Snooze | Yield, running: Running) -> Outcome:
    match exc:
        case Snooze():
            return Snoozed(exc.delay, exc.reason, running.units)
        case Yield():
            return Released(exc.reason, running.units, yielded=True)


def _failed(exc: BaseException, running: Running) -> Failed:
    evidence = _evidence(exc, running)
    match exc:
        case RateLimited():
            return Failed(_report(exc, ErrorClass.RATE_LIMITED), exc.retry_after, running.units)
        case Retry():
            report = _report(exc, ErrorClass.TRANSIENT)
            return Failed(report, exc.delay, running.units, evidence=evidence)
        case Permanent() | InvalidInput():
            return Failed(_report(exc, ErrorClass.PERMANENT), units=running.units, evidence=evidence)
        case ProcessDied():
            report = ErrorReport(ErrorClass.TRANSIENT, "ProcessDied", str(exc))
            return Failed(report, units=running.units, evidence=evidence)
        case ProcessNotStarted() | NotConfigured() | TransactionConflict():
            # Without a traceback: it says nothing of the job's endpoint.
            return Failed(ErrorReport(ErrorClass.SYSTEM, type(exc).__name__, str(exc)), units=running.units)
        case _:
            verdict = _classified(exc, running)
            report = _report(exc, verdict.error_class)
            if verdict.error_class is ErrorClass.SYSTEM:
                evidence = Evidence.NONE  # the task says that it is ours
            wait, refused = verdict.retry_after, verdict.refused
            return Failed(report, wait, running.units, refused=refused, evidence=evidence)


def _evidence(exc: BaseException, running: Running) -> Evidence:
    """What the exception tells of the endpoint, else what the handler has said of it."""
    found = evidence_in(exc)
    if found is None and running.endpoint_ok is not None:
        found = Evidence.of(running.endpoint_ok)
    return found or Evidence.NONE


def _classified(exc: BaseException, running: Running) -> Verdict:
    """As the task says; if what it says cannot be used, as if it had said nothing."""
    try:
        return running.handler.classify(exc)
    except BaseException as broken:
        emit(Event.CLASSIFY_FAILED, logging.ERROR, task=running.job.task, because=broken)
        return STANDARD(exc)


def unknown_task(name: str) -> Outcome:
    """Ours to mend, not the job's fault: it costs no failure."""
    message = f"This worker has no handler for the task {name}; import the module that defines it."
    return Failed(ErrorReport(ErrorClass.SYSTEM, "UnknownTask", message))


def refused_end(end: End, why: str) -> Outcome:
    """The database did not take the end itself; sending it again would not help. What was used counts."""
    message = f"The end of the attempt could not be recorded: {why}"
    return Failed(ErrorReport(ErrorClass.PERMANENT, "EndRefused", message), units=units_of(end))


def _stopped(stop: Stop, exc: BaseException, running: Running) -> Outcome:
    match stop:
        case Stop.TIMED_OUT:
            # What it was doing is not known; most often it waits for an answer.
            evidence = Evidence.of(running.endpoint_ok or False)
            return Failed(_timeout(exc, running), units=running.units, timed_out=True, evidence=evidence)
        case Stop.ASKED:
            return CancelledByRequest(running.reason or stop.value, running.units)
        case Stop.WORKER_LEAVES | Stop.BOX_ENDS | Stop.LEASE_ENDED | Stop.BY_OTHERS:
            return Released(stop.value, running.units)


def _timeout(exc: BaseException, running: Running) -> ErrorReport:
    if running.handler.process is not None:
        message = f"The process was killed: {Stop.TIMED_OUT}."  # where it was, nobody can say
        return ErrorReport(ErrorClass.TRANSIENT, "TimedOut", message)
    error = _report(exc, ErrorClass.TRANSIENT)
    message = f"The attempt was stopped: {Stop.TIMED_OUT}."
    return ErrorReport(error.error_class, "TimedOut", message, error.traceback, error.place)


def _report(exc: BaseException, error_class: ErrorClass) -> ErrorReport:
    trace = _without_ours(exc.__traceback__)
    return ErrorReport(error_class, _type_name(type(exc)), _message(exc), _text(exc, trace), _place(trace))


def _type_name(kind: type[BaseException]) -> str:
    """With its module, unless everybody knows it: Python's own, and those imported from holdfast."""
    is_known = kind.__module__ == "builtins" or kind.__module__.startswith("holdfast.")
    return kind.__qualname__ if is_known else f"{kind.__module__}.{kind.__qualname__}"


def _message(exc: BaseException) -> str:
    """What it says; an exception whose own text raises, whatever that is, must not hide the failure."""
    if isinstance(exc, asyncio.CancelledError):
        return "The handler was cancelled by something that it called."
    try:
        return str(exc) or repr(exc)
    except BaseException as broken:
        return f"(its text cannot be read: {type(broken).__name__})"


def _without_ours(trace: TracebackType | None) -> TracebackType | None:
    """The frames from the handler on."""
    while trace is not None and _is_ours(trace) and trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def _is_ours(trace: TracebackType) -> bool:
    return str(trace.tb_frame.f_globals.get("__name__", "")).startswith("holdfast.worker.")


def _text(exc: BaseException, trace: TracebackType | None) -> str | None:
    try:
        return "".join(traceback.format_exception(type(exc), exc, trace))
    except BaseException as broken:
        return f"(the traceback cannot be written: {type(broken).__name__})"


def _place(trace: TracebackType | None) -> str | None:
    """Where it was raised: "file.py:12 in f"."""
    if trace is None:
        return None
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    return f"{code.co_filename.rpartition('/')[2]}:{trace.tb_lineno} in {code.co_name}"
