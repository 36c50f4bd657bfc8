"""The filter of a list of jobs as the address of its page has it: read, shown as chips, changed by links."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from starlette.datastructures import QueryParams

from holdfast.api.request.query_filters import JOB_FILTERS, job_filter
from holdfast.api.request.scoped_view import check_actor
from holdfast.client.filters import json_or_text, wire
from holdfast.dashboard.words import short_id
from holdfast.model.access_key import Caller
from holdfast.model.error import InvalidInput, InvalidOption
from holdfast.model.masking import Masking

Pairs = tuple[tuple[str, str], ...]
Query = Mapping[str, Sequence[str]]

NO_FILTERS = frozenset({"q", "cursor"})  # parameters of the page
# What a chip calls a filter, where that is not its name.
WORDS = {
    "newer_than": "enqueued in the last",
    "older_than": "enqueued before the last",
    "enqueued_after": "enqueued from",
    "enqueued_before": "enqueued before",
    "attempt": "attempts, at least",
    "failures": "failures, at least",
    "unique_key": "unique key",
    "unique_scope": "scope of the unique key",
    "order_key": "order key",
    "actor": "enqueued by",
    "reason": "died by",
    "class": "class of error",
    "error_type": "error",
}


@dataclass(frozen=True, slots=True)
class Chip:
    """`without`: the query of the page without this filter."""

    words: str
    value: str
    without: Query


@dataclass(frozen=True, slots=True)
class JobQuery:
    """`pairs` are names and values as the address has them; `filters` are in the form of the SQL verbs.
    `problem` says what is wrong with them.
    """

    pairs: Pairs
    filters: dict[str, Any]
    problem: str = ""

    def get(self, name: str) -> str:
        return dict(self.pairs).get(name, "")

    def every(self, name: str) -> list[str]:
        return [value for key, value in self.pairs if key == name]

    @property
    def query(self) -> Query:
        return as_query(self.pairs)

    @property
    def chips(self) -> list[Chip]:
        """Of all filters but the state."""
        return chips(self.pairs)

    def replaced(self, name: str, value: str) -> Query:
        """The query with this value of a filter, or without the filter if the value is empty."""
        rest = tuple(pair for pair in self.pairs if pair[0] != name)
        return as_query((*rest, (name, value)) if value else rest)


def read_job_query(query: Pairs, caller: Caller, masking: Masking) -> JobQuery:
    """Raises AccessDenied for a filter that a key with a scope may not use."""
    given = tuple((name, value) for name, value in query if value and name not in NO_FILTERS)
    pairs = in_scope(given, caller)
    try:
        read = JOB_FILTERS.read_query(QueryParams(list(pairs)))
        check_actor(caller, read)
        filters = wire(job_filter(read))
        _check_shown(filters, masking)
        return JobQuery(pairs, filters)
    except InvalidInput as exc:
        return JobQuery(pairs, {}, words_of(exc))


def _check_shown(filters: Mapping[str, Any], masking: Masking) -> None:
    """A list of the jobs with a value says which value they have."""
    for path in filters.get("payload", {}):
        if masking.hides(path):
            raise InvalidOption(
                f"You cannot filter by {path}, because that field of payloads is hidden.",
                "filter by another field",
            )
    for name, value in filters.get("labels", {}).items():
        if masking.hides_in({name: value}):
            raise InvalidOption(f"The label {name} is masked.", "choose the jobs by another one")


def words_of(problem: InvalidInput) -> str:
    """A sentence, and one with what to do."""
    hint = problem.hint or ""
    return f"{problem.message} {hint[:1].upper()}{hint[1:]}{'.' if hint else ''}".strip()


def in_scope(pairs: Pairs, caller: Caller) -> Pairs:
    """With the first queue and task of the key's scope, where it has one and the address names none."""
    names = {name for name, _ in pairs}
    scope = (("queue", caller.queues), ("task", caller.tasks))
    return pairs + tuple((name, own[0]) for name, own in scope if own and name not in names)


def as_query(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found


def chips(pairs: Pairs) -> list[Chip]:
    return [
        Chip(WORDS.get(name, name), _shown(value), as_query(pairs[:place] + pairs[place + 1 :]))
        for place, (name, value) in enumerate(pairs)
        if name != "state"
    ]


def lasting(filters: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Means the same jobs later too: spans of time before now become times."""
    found = dict(filters)
    for span, moment, nearer in (
        ("older_than", "enqueued_before", min),
        ("newer_than", "enqueued_after", max),
    ):
        if span in found:
            at = now - timedelta(seconds=found.pop(span))
            given = found.get(moment)
            found[moment] = (at if given is None else nearer(at, datetime.fromisoformat(given))).isoformat()
    return found


def pairs_of(filters: Mapping[str, Any]) -> Pairs:
    """A filter in the form of the SQL verbs as the address of a list has it."""
    found: list[tuple[str, str]] = []
    for name, value in filters.items():
        if name == "labels":
            found += [("label", f"{label}={_label(one)}") for label, one in value.items()]
        elif name == "payload":
            found += [("payload", f"{path}:{_text(one)}") for path, one in value.items()]
        else:
            found.append((name, _text(value)))
    return tuple(found)


def _label(value: Any) -> str:
    """A text that looks like other JSON is quoted, so that it is read as a text."""
    return value if isinstance(value, str) and json_or_text(value) is value else json.dumps(value)


def _text(value: Any) -> str:
    return (
        value if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else json.dumps(value)
    )


def _shown(value: str) -> str:
    try:
        return short_id(UUID(value))
    except ValueError:
        return value
