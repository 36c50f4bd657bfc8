"""The ends of attempts that workers report over HTTP: their fields, and the outcome that each becomes."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from holdfast.api.producers.scoped_job import PLACES, no_place
from holdfast.api.request.body import (
    FLAG,
    MAYBE_WORDS,
    NAMES,
    SPAN,
    UUID,
    VALUE,
    WORDS,
    Body,
    Schema,
    an_object,
    check_value,
    or_null,
    read_span,
)
from holdfast.model.access_key import Caller
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

Fields = Mapping[str, Any]

VERBS = tuple(verb for verb in Verb if verb is not Verb.ADVANCE)  # that is a complete with `next`
NUMBER = or_null({"type": "number"})
NEXT = an_object(
    {
        **dict.fromkeys(("stage", "task", "queue", "endpoint", "group", "on_failure"), MAYBE_WORDS),
        "priority": or_null({"type": "integer", "minimum": 0, "maximum": 100}),
        "delay": or_null(SPAN),
        "stages": or_null(NAMES),
    }
)
ERROR = {
    **an_object(
        {
            "message": WORDS,
            "class": or_null({"type": "string", "enum": [*ErrorClass]}),
            **dict.fromkeys(("type", "traceback", "place"), MAYBE_WORDS),
        },
        ["message"],
    ),
    "type": ["string", "object"],
    "minLength": 1,
}
WAIT = {"signal": MAYBE_WORDS, "children": MAYBE_WORDS, "timeout": or_null(SPAN)}
# What a worker says of each end, and which of it must be there.
ENDS: Mapping[Verb, tuple[dict[str, Schema], list[str]]] = {
    Verb.COMPLETE: ({"output": VALUE, "next": or_null(NEXT)}, []),
    Verb.FAIL: ({"error": ERROR, "permanent": or_null(FLAG), "retry_after": or_null(SPAN)}, ["error"]),
    Verb.SNOOZE: ({"delay": SPAN, "reason": MAYBE_WORDS}, ["delay"]),
    Verb.REJECT: ({"reason": WORDS, "output": VALUE}, ["reason"]),
    Verb.WAIT: (WAIT, []),
    Verb.CANCEL: ({"reason": MAYBE_WORDS}, []),
    Verb.RELEASE: ({"reason": MAYBE_WORDS, "yielded": or_null(FLAG)}, []),
}
# In a list of ends, each has the fields of its verb besides.
LISTED: Schema = {
    **an_object({"id": UUID, "token": UUID, "verb": {"type": "string", "enum": [*VERBS]}}),
    "required": ["id", "token", "verb"],
    "additionalProperties": True,
}


class Destination:
    """The queues and tasks that ends name: they must be in the scope of the access key.

    `places`: endpoints and groups. Queues share them, so that a key with a scope can name none.
    """

    def __init__(self) -> None:
        self.queues: list[str] = []
        self.tasks: list[str] = []
        self.places: list[str] = []

    def check_places(self, caller: Caller) -> None:
        if caller.scope is not None and self.places:
            raise no_place(caller, self.places[0])


def end_body(verb: Verb, example: Fields) -> Body:
    return Body(*_fields(verb, {"token": UUID}), example)


def read_listed(path: str, given: Fields, to: Destination) -> End:
    """One of a list of ends."""
    verb = Verb(given["verb"])
    check_value(path, an_object(*_fields(verb, LISTED["properties"])), given)
    return read_end(verb, given, to)


def read_end(verb: Verb, given: Fields, to: Destination) -> End:
    """`progress`: the last report of the attempt."""
    end, report = end_of(_read(verb, given, to)), given.get("progress")
    return end if report is None else with_progress(end, encode(report))


def _fields(verb: Verb, named_by: Mapping[str, Schema]) -> tuple[dict[str, Schema], list[str]]:
    fields, required = ENDS[verb]
    return {**named_by, **fields, "units": NUMBER, "progress": VALUE}, [*named_by, *required]


def _read(verb: Verb, given: Fields, to: Destination) -> Outcome:
    units, reason = given.get("units"), given.get("reason")
    outcome: Outcome
    match verb:
        case Verb.COMPLETE:
            outcome = _completed(given, units, to)
        case Verb.FAIL:
            outcome = _failed(given, units)
        case Verb.SNOOZE:
            delay = read_span(given, "delay")
            assert delay is not None
            outcome = Snoozed(delay, reason or "not yet", units)
        case Verb.REJECT:
            outcome = Rejected(given["reason"], _output(given), units)
        case Verb.WAIT:
            outcome = replace(read_waiting(given), units=units)
        case Verb.CANCEL:
            outcome = CancelledByRequest(reason or "stopped by its worker", units)
        case _:
            outcome = Released(reason or "released by its worker", units, bool(given.get("yielded")))
    return outcome


def _completed(given: Fields, units: float | None, to: Destination) -> Outcome:
    output, way = _output(given), given.get("next")
    if way is None:
        return Completed(output, units)
    stages = way.get("stages")
    advanced = Advanced(
        stage=way.get("stage") or None,
        output=output,
        task=way.get("task") or None,
        queue=way.get("queue") or None,
        endpoint=way.get("endpoint") or None,
        group=way.get("group") or None,
        priority=way.get("priority"),
        delay=read_span(way, "delay"),
        units=units,
        stages=None if stages is None else tuple(stages),
        on_failure=way.get("on_failure") or None,
    )
    to.queues += [advanced.queue] if advanced.queue else []
    to.tasks += [advanced.task] if advanced.task else []
    to.places += [name for name in PLACES if getattr(advanced, name)]
    return advanced


def _failed(given: Fields, units: float | None) -> Failed:
    said = given["error"]
    error = {"message": said} if isinstance(said, str) else said
    usual = ErrorClass.PERMANENT if given.get("permanent") else ErrorClass.TRANSIENT
    report = ErrorReport(
        ErrorClass(error.get("class") or usual),
        error.get("type") or "Error",
        error["message"],
        error.get("traceback") or None,
        error.get("place") or None,
    )
    return Failed(report, read_span(given, "retry_after"), units)


def read_waiting(given: Fields) -> Waiting:
    signal, children = given.get("signal") or None, given.get("children") or None
    if (signal is None) == (children is None):
        raise InvalidPayload(
            "Exactly one of signal and children must be given.", "name what the job waits for"
        )
    what = f"children:{children}" if signal is None else f"signal:{signal}"
    return Waiting(what, read_span(given, "timeout"))


def _output(given: Fields) -> JsonText | None:
    value = given.get("output")
    return None if value is None else encode(value)
