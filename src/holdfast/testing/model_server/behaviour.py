"""How the simulated server behaves: its speed, its limits and its faults, all changeable while it runs."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import timedelta
from enum import StrEnum
from typing import Any, TypedDict

from holdfast.model.duration import Duration
from holdfast.model.error import InvalidOption
from holdfast.testing.model_server.option import (
    choice,
    duration,
    number,
    share,
    share_of_all,
    whole,
    whole_or_none,
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
    """Work of a call = (base + tokens out / tokens_per_second) × noise whose mean is 1; shares are of all calls."""

    replicas: int = whole(1)
    slots: int = whole(4, least=1)
    sharing: Sharing = choice(Sharing.PROCESSOR)
    thrash: float = number(0.06)  # lost per call beyond the slots
    batch_cost: float = number(0.07)  # by how much each further call of a batch slows all of them
    base: timedelta = duration(timedelta(milliseconds=100))
    tokens_per_second: float = number(500.0, above=0.0)
    spread: float = number(0.1)  # sigma of the log-normal noise of the work
    speed: float = number(1.0, above=0.0)  # of everything, calls under way included
    memory: int | None = whole_or_none(least=1)  # calls per replica; beyond it a call fails with 500
    cliff_hangs: float = share()  # of the calls beyond the memory: hang instead
    outage: Outage = choice(Outage.NONE)
    outage_share: float = share_of_all()  # of the calls, while there is an outage
    tokens_per_minute: int | None = whole_or_none(least=1)  # in and out; beyond it 429
    burst: timedelta = duration(timedelta(minutes=1))  # for how long the token budget can be saved up
    retry_after: RetryAfter = choice(RetryAfter.SECONDS)
    busy: float = share()  # 429 for no reason
    noise: float = share()  # 5xx somewhere within the work
    error_inside: float = share()  # status 200, and an error in the body
    cut: float = share()  # the connection breaks in the middle of the answer
    drip: timedelta = duration(timedelta(0))  # over which the body of an answer is spread

    def __post_init__(self) -> None:
        for field in fields(self):
            value = field.metadata["read"](field.name, getattr(self, field.name))
            object.__setattr__(self, field.name, value)

    def changed(self, changes: Mapping[str, object]) -> "Behaviour":
        names = [field.name for field in fields(self)]
        for name in changes:
            if name not in names:
                raise InvalidOption(f"A model server has no {name!r} to set.", f"it has: {', '.join(names)}")
        present: dict[str, Any] = {name: getattr(self, name) for name in names}
        return Behaviour(**{**present, **changes})

    def document(self) -> dict[str, object]:
        """As JSON has it, durations in seconds."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}


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
