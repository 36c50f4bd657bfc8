"""How long a worker may live, and the schedule of its shutdown."""

from dataclasses import dataclass, field
from datetime import timedelta
from time import monotonic

from holdfast.model.error import InvalidOption

SHORTEST = timedelta(milliseconds=500)
# Which part of the margin is left when the worker cancels handlers that did not yield, reports those that did
# not stop, has settled all, has released the rest from outside, and has handed over.
CANCEL = 0.5
GIVE_UP = 0.35
SETTLED = 0.25
FENCE = 0.15
GONE = 0.05


@dataclass(frozen=True, slots=True)
class TimeBox:
    """`began` is the start of the box on the monotonic clock.

    At the margin claims end and handlers are asked to yield; each later step has its share of the margin.
    """

    length: timedelta
    margin: timedelta
    began: float = field(default_factory=monotonic)

    def __post_init__(self) -> None:
        if self.length < SHORTEST:
            raise InvalidOption(
                f"The time box must be at least half a second (got {self.length}).",
                "write half a second or more",
            )
        if not timedelta(milliseconds=50) <= self.margin <= self.length * 0.9:
            raise InvalidOption(
                "The margin must be at least 50 ms and at most nine tenths of the time box "
                f"(got margin {self.margin}, time box {self.length}).",
                "the default, a fifth of the time box, suits most workers",
            )

    @property
    def ends_at(self) -> float:
        return self.began + self.length.total_seconds()

    @property
    def yields_at(self) -> float:
        return self.moment(1.0)

    @property
    def cancels_at(self) -> float:
        return self.moment(CANCEL)

    def moment(self, part: float) -> float:
        """When this part of the margin is left."""
        return self.ends_at - part * self.margin.total_seconds()

    def left_to(self, part: float) -> timedelta:
        """The time until then; never below zero."""
        return timedelta(seconds=max(0.0, self.moment(part) - monotonic()))
