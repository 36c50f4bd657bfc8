"""How the simulated server behaves: its speed, its limits and its faults, all changeable while it runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Any, TypedDict

from holdfast.model.duration import Duration
from holdfast.model.error import InvalidOption
from holdfast.testing.model_server.option import (
    AtLeastOne,
    Count,
    Limit,
    Number,
    Positive,
    Share,
    Time,
    one_of,
    readers_of,
)


class Sharing(StrEnum):
    PROCESSOR = "processor"  # full speed up to `slots` calls, then they share what there is
    BATCH = "batch"  # continuous batching: each further call slows all, and still raises the throughput


class Outage(StrEnum):
    NONE = "none"
    REFUSED = "refused"  # nobody listens
    UNAVAILABLE = "unavailable"  # 503
    HANG = "hang"  # no answer, ever


class RetryAfter(StrEnum):
    SECONDS = "seconds"
    DATE = "date"
    MILLISECONDS = "milliseconds"  # as the header retry-after-ms
    NONE = "none"


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

    def changed(self, changes: Mapping[str, object]) -> "Behaviour":
        for name in changes:
            if name not in READERS:
                raise InvalidOption(
                    f"A model server has no {name!r} to set.", f"it has: {', '.join(READERS)}"
                )
        present: dict[str, Any] = {name: getattr(self, name) for name in READERS}
        return Behaviour(**{**present, **changes})

    def document(self) -> dict[str, object]:
        """As JSON has it, durations in seconds."""
        return {name: _plain(getattr(self, name)) for name in READERS}


READERS = readers_of(Behaviour)


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


def _plain(value: object) -> object:
    return value.total_seconds() if isinstance(value, timedelta) else value
