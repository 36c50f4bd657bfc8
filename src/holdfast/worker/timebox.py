"""How long a worker may live, and when within it each thing has to happen."""

from dataclasses import dataclass, field
from datetime import timedelta
from time import monotonic

from holdfast.model.error import InvalidOption

SHORTEST = timedelta(milliseconds=500)
# Parts of the margin that are left: to cancel what did not yield, to report what did not stop, to have
# settled all, to have fenced the rest from outside, and to have handed over.
CANCEL = 0.5
GIVE_UP = 0.35
SETTLED = 0.25
FENCE = 0.15
GONE = 0.05


@dataclass(frozen=True, slots=True)
class TimeBox:
    """`began` is the moment of the monotonic clock at which the box was opened.

    At the margin claims end and handlers are asked to yield; what follows has its share of the margin.
    """

    length: timedelta
    margin: timedelta
    began: float = field(default_factory=monotonic)

    def __post_init__(self) -> None:
        if self.length < SHORTEST:
            raise InvalidOption(f"A time box of {self.length} is too short.", "give half a second or more")
        if not timedelta(milliseconds=50) <= self.margin <= self.length * 0.9:
            raise InvalidOption(
                f"A margin of {self.margin} does not fit a time box of {self.length}.",
                "give at least 50 ms, and at most nine tenths of the box; a fifth is a good start",
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
        """When so much of the margin is left."""
        return self.ends_at - part * self.margin.total_seconds()

    def left_to(self, part: float) -> timedelta:
        """How long until then; never below zero."""
        return timedelta(seconds=max(0.0, self.moment(part) - monotonic()))
