"""The query parameters that filter a list: what they mean, and how they are read."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import QueryParams
from starlette.requests import Request

from holdfast.client.filters import read_labels, read_moment, read_moment_or_span, read_payload_values
from holdfast.client.read_id import read_id
from holdfast.model.dead_letter import Triage
from holdfast.model.duration import parse_duration
from holdfast.model.error import InvalidOption
from holdfast.model.state import State

PAGE = frozenset({"limit", "cursor"})
MOST_INTEGER = 2**31


@dataclass(frozen=True, slots=True)
class Filter:
    """`repeats`: it may be given more than once, and is a list."""

    words: str
    read: Callable[[str], Any] = str
    schema: dict[str, Any] = field(default_factory=lambda: {"type": "string"})
    repeats: bool = False


class Filters:
    """All that is given must fit. What is not known is refused, so that a misspelt filter is not ignored."""

    def __init__(self, known: dict[str, Filter]) -> None:
        self._known = known

    def read(self, request: Request, *others: str) -> dict[str, Any]:
        """`others`: parameters of the route that are no filters."""
        return self.read_query(request.query_params, *others)

    def read_query(self, query: QueryParams, *others: str) -> dict[str, Any]:
        for name in query:
            if name not in self._known and name not in PAGE and name not in others:
                hint = f"the filters are {', '.join(self._known)}"
                raise InvalidOption(f"There is no filter {name}.", hint)
            if len(query.getlist(name)) > 1 and not (name in self._known and self._known[name].repeats):
                raise InvalidOption(f"{name} is given twice.", "give it once")
        return {
            name: [one.read(text) for text in query.getlist(name)] if one.repeats else one.read(query[name])
            for name, one in self._known.items()
            if name in query
        }

    @property
    def parameters(self) -> list[dict[str, Any]]:
        """As the OpenAPI document has them."""
        return [
            {
                "name": name,
                "in": "query",
                "description": one.words,
                "schema": {"type": "array", "items": one.schema} if one.repeats else one.schema,
            }
            for name, one in self._known.items()
        ]


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 11 and int(text) < MOST_INTEGER):
        raise InvalidOption(
            f"A number in a filter must be a whole number (got {text[:100]!r}).", "write it in digits"
        )
    return int(text)


def _one_of(kind: type[State] | type[Triage]) -> dict[str, Any]:
    return {"type": "string", "enum": [str(one) for one in kind]}


_SPAN = "seconds, or a text such as 2h"
_COUNT: dict[str, Any] = {"type": "integer", "minimum": 0}
_ID: dict[str, Any] = {"type": "string", "format": "uuid"}
_QUEUE, _TASK = Filter("Only those of this queue."), Filter("Only those of this task.")
_RUN = Filter("Only those of the run with this id.", read_id, _ID)

JOB_FILTERS = Filters(
    {
        "state": Filter("Only jobs in this state.", schema=_one_of(State)),
        "queue": _QUEUE,
        "task": _TASK,
        "run": _RUN,
        "label": Filter("Only jobs with this label, NAME=VALUE. Repeat it to require several.", repeats=True),
        "older_than": Filter(f"Only jobs that were enqueued longer ago than this: {_SPAN}.", parse_duration),
        "newer_than": Filter(f"Only jobs that were enqueued within this time: {_SPAN}.", parse_duration),
        "enqueued_after": Filter("Only jobs that were enqueued at or after this time.", read_moment),
        "enqueued_before": Filter("Only jobs that were enqueued before this time.", read_moment),
        "attempt": Filter("Only jobs with at least this many attempts.", _whole, _COUNT),
        "failures": Filter("Only jobs with at least this many failures.", _whole, _COUNT),
        "priority": Filter("Only jobs with this priority.", _whole, _COUNT),
        "worker": Filter("Only jobs that the worker with this id is running.", read_id, _ID),
        "order_key": Filter("Only jobs with this order key."),
        "unique_key": Filter("Only jobs with this unique key; found by an index."),
        "unique_scope": Filter(
            "Only jobs whose unique key is unique within this scope; by default, the name of the task."
        ),
        "origin": Filter("Only jobs with this origin, such as manual or scheduled."),
        "actor": Filter("Only jobs that this database login or access key enqueued."),
        "fingerprint": Filter("Only jobs whose latest error has this fingerprint."),
        "payload": Filter(
            "Only jobs with this value in their payload, PATH:VALUE, such as customer.id:4711 or "
            "items.0.sku:a. Repeat it to require several.",
            repeats=True,
        ),
    }
)
LETTER_FILTERS = Filters(
    {
        "queue": _QUEUE,
        "task": _TASK,
        "run": _RUN,
        "reason_of_death": Filter("Only those that died for this reason, such as failures."),
        "error_class": Filter("Only those whose last error has this class, such as transient."),
        "error_type": Filter("Only those whose last error has this type, such as ValueError."),
        "fingerprint": Filter("Only those whose error has this fingerprint."),
        "status": Filter("Only those with this status.", schema=_one_of(Triage)),
        "assignee": Filter("Only those that are assigned to this person."),
        "since": Filter(
            "Only those that died since this time, or within this duration.", read_moment_or_span
        ),
        "until": Filter(
            "Only those that died before this time, or longer ago than this duration.", read_moment_or_span
        ),
    }
)
ERROR_FILTERS = Filters(
    {
        "queue": _QUEUE,
        "task": _TASK,
        "stage": Filter("Only attempts at this stage of a pipeline."),
        "error_class": Filter("Only errors of this class, such as transient."),
        "error_type": Filter("Only errors of this type, such as ValueError."),
        "outcome": Filter("Only attempts with this outcome: failed, timed_out, deferred, lost or forgiven."),
        "fingerprint": Filter("Only errors with this fingerprint."),
        "text": Filter("Only errors with this text in their type, message or place; case is ignored."),
    }
)
EVENT_FILTERS = Filters(
    {
        "since": Filter("Only events at or after this time.", read_moment),
        "until": Filter("Only events before this time.", read_moment),
        "actor": Filter("Only events of this person, program or access key."),
        "login": Filter("Only events of this database login."),
        "cause": Filter("Only events of this kind, such as set_queue, pause or end."),
        "queue": Filter("Only events of this queue."),
        "job": Filter("Only events of the job with this id.", read_id, _ID),
    }
)


def job_filter(given: dict[str, Any]) -> dict[str, Any]:
    """As `client` takes it, which has all labels together, and all values of the payload."""
    found = {name: value for name, value in given.items() if name not in ("label", "payload")}
    if "label" in given:
        found["labels"] = read_labels(given["label"])
    if "payload" in given:
        found["payload"] = read_payload_values(given["payload"], ":")
    return found
