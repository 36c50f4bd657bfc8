"""How the simulated server behaves: its speed, its limits and its faults, all changeable while it runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from math import isfinite
from typing import Annotated, Any, TypedDict, TypeVar, get_type_hints

from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import InvalidOption

# Checks the value that Python, JSON or the command line gave for the option of that name.
Read = Callable[[str, object], object]
E = TypeVar("E", bound=StrEnum)


class Sharing(StrEnum):
    PROCESSOR = "processor"  # full speed up to `slots` calls, then they share what there is
    BATCH = "batch"  # continuous batching: each further call slows all, and still raises the throughput


class Outage(StrEnum):
    NONE = "none"
    REFUSED = "refused"  # the port is closed
    UNAVAILABLE = "unavailable"  # 503
    HANG = "hang"  # no answer, ever


class RetryAfter(StrEnum):
    SECONDS = "seconds"
    DATE = "date"
    MILLISECONDS = "milliseconds"  # as the header retry-after-ms
    NONE = "none"


def read_number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or value < 0:
        raise InvalidOption(
            f"{name} must be a number of at least 0 (got {value!r}).", f"for example {name}=0.5"
        )
    return float(value)


def read_share(name: str, value: object) -> float:
    given = read_number(name, value)
    if given > 1:
        raise InvalidOption(
            f"{name} must be a number from 0 to 1 (got {value!r}).", "0 means no call, 1 means every call"
        )
    return given


def read_positive(name: str, value: object) -> float:
    given = read_number(name, value)
    if given == 0:
        raise InvalidOption(f"{name} must be above 0.", "for a server that never answers, use outage=hang")
    return given


def read_count(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InvalidOption(
            f"{name} must be an integer of at least 0 (got {value!r}).", f"for example {name}=4"
        )
    return value


def read_at_least_one(name: str, value: object) -> int:
    given = read_count(name, value)
    if given == 0:
        raise InvalidOption(f"{name} must be at least 1.", f"for example {name}=4")
    return given


def read_limit(name: str, value: object) -> int | None:
    """None: no limit."""
    return None if value is None else read_at_least_one(name, value)


def read_duration(name: str, value: object) -> timedelta:
    if not isinstance(value, Duration):
        raise InvalidOption(f"{name} must be a duration (got {value!r}).", 'write 2.5 (seconds) or "250ms"')
    return parse_duration(value)


def one_of(kind: type[E]) -> Read:
    def read(name: str, value: object) -> E:
        if not isinstance(value, str) or value not in [*kind]:
            raise InvalidOption(
                f"{name} must be one of {', '.join(kind)} (got {value!r}).", "pass one of these values"
            )
        return kind(value)

    return read


Count = Annotated[int, read_count]
AtLeastOne = Annotated[int, read_at_least_one]
Limit = Annotated[int | None, read_limit]
Number = Annotated[float, read_number]
Positive = Annotated[float, read_positive]
Share = Annotated[float, read_share]
Time = Annotated[timedelta, read_duration]


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Work per call = (base + tokens out / tokens_per_second) × noise of mean 1; shares are of all calls."""

    replicas: Count = 1
    slots: AtLeastOne = 4
    sharing: Annotated[Sharing, one_of(Sharing)] = Sharing.PROCESSOR
    thrash: Number = 0.06  # lost per call beyond the slots
    batch_cost: Number = 0.07  # by how much each further call of a batch slows all of them
    base: Time = timedelta(milliseconds=100)
    tokens_per_second: Positive = 500.0
    spread: Number = 0.1  # sigma of the log-normal noise of the work
    speed: Positive = 1.0  # of everything, calls under way included
    memory: Limit = None  # calls per replica; beyond it a call fails with 500
    cliff_hangs: Share = 0.0  # of the calls beyond the memory: they hang instead
    outage: Annotated[Outage, one_of(Outage)] = Outage.NONE
    outage_share: Share = 1.0  # of the calls, while there is an outage
    tokens_per_minute: Limit = None  # in and out; beyond it 429
    burst: Time = timedelta(minutes=1)  # for how long the token budget can be saved up
    retry_after: Annotated[RetryAfter, one_of(RetryAfter)] = RetryAfter.SECONDS
    busy: Share = 0.0  # 429 for no reason
    noise: Share = 0.0  # 5xx somewhere within the work
    error_inside: Share = 0.0  # status 200, and an error in the body
    cut: Share = 0.0  # the connection breaks in the middle of the answer
    drip: Time = timedelta(0)  # over which the body of an answer is spread

    def __post_init__(self) -> None:
        for name, read in READERS.items():
            object.__setattr__(self, name, read(name, getattr(self, name)))

    @property
    def is_closed(self) -> bool:
        """No client can connect. A smaller share is reset: the server accepts calls to tell them apart."""
        return self.outage is Outage.REFUSED and self.outage_share == 1

    def changed(self, changes: Mapping[str, object]) -> "Behaviour":
        for name in changes:
            if name not in READERS:
                raise InvalidOption(
                    f"The model server has no setting {name!r}.", f"the settings are {', '.join(READERS)}"
                )
        present: dict[str, Any] = {name: getattr(self, name) for name in READERS}
        return Behaviour(**{**present, **changes})

    def document(self) -> dict[str, object]:
        """As JSON has it, durations in seconds."""
        values = {name: getattr(self, name) for name in READERS}
        return {
            name: value.total_seconds() if isinstance(value, timedelta) else value
            for name, value in values.items()
        }


READERS: dict[str, Read] = {
    name: hint.__metadata__[0] for name, hint in get_type_hints(Behaviour, include_extras=True).items()
}


class Changes(TypedDict, total=False):
    """Any of a behaviour's fields; durations also as text or seconds, choices also as text."""

    replicas: int
    slots: int
    sharing: Sharing | str
    thrash: float
    batch_cost: float
    base: Duration
    tokens_per_second: float
    spread: float
    speed: float
    memory: int | None
    cliff_hangs: float
    outage: Outage | str
    outage_share: float
    tokens_per_minute: int | None
    burst: Duration
    retry_after: RetryAfter | str
    busy: float
    noise: float
    error_inside: float
    cut: float
    drip: Duration
