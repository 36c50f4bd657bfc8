"""How a worker says over HTTP that an attempt has ended: the body of each route becomes an outcome."""

from dataclasses import replace

from holdfast.api.request.body import Body
from holdfast.model.error import InvalidPayload
from holdfast.model.outcome import (
    Advanced,
    CancelledByRequest,
    Completed,
    End,
    ErrorClass,
    ErrorReport,
    Failed,
    Outcome,
    Rejected,
    Released,
    Snoozed,
    Verb,
    Waiting,
    end_of,
    with_progress,
)
from holdfast.model.payload import JsonText, encode

VERBS = tuple(verb for verb in Verb if verb is not Verb.ADVANCE)  # that is a complete with `next`


class Destination:
    """The queues and tasks that ends name: they must be in the scope of the access key."""

    def __init__(self) -> None:
        self.queues: list[str] = []
        self.tasks: list[str] = []


def read_end(verb: Verb, body: Body, to: Destination) -> End:
    """Takes all fields of the body but the job's id and token. `progress`: the last report of the attempt."""
    end, report = end_of(_read(verb, body, to)), body.any("progress")
    body.close()
    return end if report is None else with_progress(end, encode(report))


def read_verb(body: Body) -> Verb:
    said = body.text("verb")
    if said not in VERBS:
        raise body.wrong("verb", f"one of {', '.join(VERBS)}")
    return Verb(said)


def _read(verb: Verb, body: Body, to: Destination) -> Outcome:
    units = body.number("units")
    outcome: Outcome
    match verb:
        case Verb.COMPLETE:
            outcome = _completed(body, units, to)
        case Verb.FAIL:
            outcome = _failed(body, units)
        case Verb.SNOOZE:
            delay = body.duration("delay")
            if delay is None:
                raise body.wrong("delay", "a number of seconds")
            outcome = Snoozed(delay, body.text("reason", "not yet"), units)
        case Verb.REJECT:
            outcome = Rejected(body.text("reason"), _output(body), units)
        case Verb.WAIT:
            outcome = replace(read_waiting(body), units=units)
        case Verb.CANCEL:
            outcome = CancelledByRequest(body.text("reason", "stopped by its worker"), units)
        case _:
            reason = body.text("reason", "released by its worker")
            outcome = Released(reason, units, body.flag("yielded"))
    return outcome


def _completed(body: Body, units: float | None, to: Destination) -> Outcome:
    output, way = _output(body), body.part("next")
    if way is None:
        return Completed(output, units)
    stages = way.names("stages")
    advanced = Advanced(
        stage=way.maybe_text("stage"),
        output=output,
        task=way.maybe_text("task"),
        queue=way.maybe_text("queue"),
        endpoint=way.maybe_text("endpoint"),
        group=way.maybe_text("group"),
        priority=way.count("priority", 0, 100),
        delay=way.duration("delay"),
        units=units,
        stages=None if stages is None else tuple(stages),
        on_failure=way.maybe_text("on_failure"),
    )
    way.close()
    to.queues += [advanced.queue] if advanced.queue else []
    to.tasks += [advanced.task] if advanced.task else []
    return advanced


def _failed(body: Body, units: float | None) -> Failed:
    said = body.any("error")
    error = Body(
        {"message": said} if isinstance(said, str) else said if isinstance(said, dict) else {}, "$.error"
    )
    is_permanent = body.flag("permanent")
    report = ErrorReport(
        _class(error, is_permanent),
        error.text("type", "Error"),
        error.text("message"),
        error.maybe_text("traceback"),
        error.maybe_text("place"),
    )
    error.close()
    return Failed(report, body.duration("retry_after"), units)


def _class(error: Body, is_permanent: bool) -> ErrorClass:
    said = error.maybe_text("class")
    if said is not None and said not in set(ErrorClass):
        raise error.wrong("class", f"one of {', '.join(ErrorClass)}")
    if said is None:
        return ErrorClass.PERMANENT if is_permanent else ErrorClass.TRANSIENT
    return ErrorClass(said)


def read_waiting(body: Body) -> Waiting:
    signal, children = body.maybe_text("signal"), body.maybe_text("children")
    if (signal is None) == (children is None):
        raise InvalidPayload(
            "Exactly one of signal and children must be given.", "name what the job waits for"
        )
    what = f"children:{children}" if signal is None else f"signal:{signal}"
    return Waiting(what, body.duration("timeout"))


def _output(body: Body) -> JsonText | None:
    value = body.any("output")
    return None if value is None else encode(value)
