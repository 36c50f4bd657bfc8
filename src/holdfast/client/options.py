"""How a job is to be treated: everything that an enqueue may say besides task and payload."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from typing import Any, Self, TypedDict
from uuid import UUID

from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import InvalidOption, InvalidPayload
from holdfast.model.payload import encode
from holdfast.model.retry import RetryPolicy

RetryRule = RetryPolicy | str | Mapping[str, Any] | Iterable[Duration]


@dataclass(frozen=True, slots=True)
class Stagger:
    """`chunk` jobs at once, the next `chunk` of them `every` later."""

    every: timedelta
    chunk: int


class GivenOptions(TypedDict, total=False):
    """The options as a caller writes them; one that is None is as good as not given."""

    queue: str | None
    priority: int | None
    delay: Duration | None
    run_at: datetime | None
    unique_key: str | None
    unique_for: Duration | None
    unique_scope: str | None
    order_key: str | None
    run: Any
    labels: Mapping[str, Any] | None
    timeout: Duration | None
    deadline: datetime | None
    group: str | None
    endpoint: str | None
    max_failures: int | None
    retry: RetryRule | None
    pipeline: str | None
    estimate: float | None
    stagger: tuple[Duration, int] | None


@dataclass(frozen=True, slots=True)
class JobOptions:
    """The options with their values checked and parsed."""

    queue: str | None = None
    priority: int | None = None
    delay: timedelta | None = None
    run_at: datetime | None = None
    unique_key: str | None = None
    unique_for: timedelta | str | None = None
    unique_scope: str | None = None
    order_key: str | None = None
    run: UUID | None = None
    labels: Mapping[str, Any] | None = None
    timeout: timedelta | None = None
    deadline: datetime | None = None
    group: str | None = None
    endpoint: str | None = None
    max_failures: int | None = None
    retry: RetryPolicy | None = None
    pipeline: str | None = None
    estimate: float | None = None
    stagger: Stagger | None = None

    def but(self, given: GivenOptions) -> Self:
        """These options with those that are given in their place."""
        changed: dict[str, Any] = {}
        for name, value in given.items():
            if name not in _NAMES:
                raise InvalidOption(f"There is no option {name}.", f"known are {', '.join(_NAMES)}")
            if value is not None:
                changed[name] = _parse(name, value)
        options = replace(self, **changed)
        options._check()
        return options

    def wire(self) -> dict[str, Any]:
        """In the form of the SQL verb; stagger is left to whoever sends several jobs."""
        given = {name: getattr(self, name) for name in _NAMES if name != "stagger"}
        return {name: _wire(value) for name, value in given.items() if value is not None}

    def _check(self) -> None:
        if self.run_at is not None and self.delay is not None:
            raise InvalidOption("A job has either delay or run_at, not both.", "leave one of them out")
        if self.run_at is not None and self.stagger is not None:
            raise InvalidOption(
                "A stagger cannot be combined with run_at.", "give the time of the first jobs as delay"
            )
        if self.unique_key is None and (self.unique_for is not None or self.unique_scope is not None):
            raise InvalidOption("unique_for and unique_scope need a unique_key.", "give a unique_key too")


NONE = JobOptions()
_NAMES = tuple(field.name for field in fields(JobOptions))
_DURATIONS = frozenset({"delay", "timeout"})
_TIMES = frozenset({"run_at", "deadline"})
_INTEGERS = frozenset({"priority", "max_failures"})


def _parse(name: str, value: Any) -> Any:
    if name in _DURATIONS:
        parsed: Any = parse_duration(value)
    elif name in _TIMES:
        parsed = _aware(name, value)
    elif name in _INTEGERS:
        parsed = _integer(name, value)
    elif name in _SPECIAL:
        parsed = _SPECIAL[name](value)
    else:
        parsed = _text(name, value)
    return parsed


def _aware(name: str, value: Any) -> datetime:
    if not isinstance(value, datetime):
        raise InvalidOption(f"{name} is {value!r}, which is not a datetime.", "pass a datetime with a zone")
    if value.utcoffset() is None:
        raise InvalidOption(
            f"{name} is {value.isoformat()}, which names no time zone: it could mean several times.",
            "pass a datetime with a zone, such as datetime.now(UTC) + timedelta(hours=1)",
        )
    return value


def _integer(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidOption(f"{name} is {value!r}, which is not a whole number.")
    return value


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise InvalidOption(f"{name} is {value!r}, but it must be a text that is not empty.")
    return value


def _estimate(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e15:
        raise InvalidOption(f"estimate is {value!r}.", "pass the units that one attempt is expected to use")
    return float(value)


def _unique_for(value: Any) -> timedelta | str:
    return str(value) if value in ("live", "forever") else parse_duration(value)


def _run_id(value: Any) -> UUID:
    """Of a Run, which has an id once it is started, or the id itself."""
    found = getattr(value, "id", value)
    try:
        return found if isinstance(found, UUID) else UUID(str(found))
    except ValueError:
        raise InvalidOption(f"run is {value!r}, which is not a run.", "pass the Run, or its id") from None


def _labels(value: Any) -> Mapping[str, Any]:
    try:
        encode(value)
    except InvalidPayload as exc:
        raise InvalidOption(f"labels cannot be stored: {exc.message}") from None
    if not isinstance(value, dict):
        raise InvalidOption(f"labels are {value!r}, but they must be a dict with text keys.")
    return dict(value)


def _stagger(value: Any) -> Stagger:
    try:
        every, chunk = value
    except (TypeError, ValueError):
        raise InvalidOption(f"stagger is {value!r}.", 'pass a pair such as ("30s", 100)') from None
    if _integer("the stagger's chunk", chunk) < 1:
        raise InvalidOption(f"The stagger's chunk is {chunk}, but it must be at least 1.")
    return Stagger(parse_duration(every), chunk)


_SPECIAL = {
    "unique_for": _unique_for,
    "run": _run_id,
    "labels": _labels,
    "retry": RetryPolicy.parse,
    "estimate": _estimate,
    "stagger": _stagger,
}


def _wire(value: Any) -> Any:
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, RetryPolicy):
        return value.to_json()
    return value
