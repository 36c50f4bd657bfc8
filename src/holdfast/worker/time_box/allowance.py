"""What a worker's time box allows: whether to claim, and how long to wait and to shut down."""

from datetime import timedelta
from time import monotonic

from holdfast.worker.time_box.durations import Durations
from holdfast.worker.time_box.succession import Succession
from holdfast.worker.time_box.time_box import TimeBox

GOODBYE = timedelta(seconds=5)
LEAST_GOODBYE = timedelta(milliseconds=100)


class Allowance:
    """Without a time box everything is allowed. `durations` are measured only with one."""

    def __init__(self, box: TimeBox | None, succession: Succession) -> None:
        self.box = box
        self._succession = succession
        self.durations: Durations | None = None

    def know(self, usual: timedelta | None) -> None:
        """The usual duration of such jobs, as other workers measured it."""
        self.durations = Durations(usual)

    @property
    def cancels_at(self) -> float | None:
        return None if self.box is None else self.box.cancels_at

    @property
    def goodbye(self) -> timedelta:
        """The time left for the last statements."""
        return GOODBYE if self.box is None else min(GOODBYE, max(LEAST_GOODBYE, self.box.left_to(0)))

    def may_claim(self) -> bool:
        """Whether jobs that are claimed now would finish before the margin, or can yield there.

        In the first half of the box, always.
        """
        if self.box is None:
            return True
        left = self.box.yields_at - monotonic()
        return self._succession.opens_in <= 0 and left > 0 and min(self._to_fit, self._time / 2) <= left

    def may_ever_claim(self) -> bool:
        """Whether no further job could finish in time."""
        return self._succession.opens_in > 0 or self.may_claim()

    def capacity(self, slots: int, handled: int) -> int | None:
        """How many jobs a worker like this one completes in a box, if it was measured."""
        if not handled:
            return None
        return max(handled, int(slots * self._time / self._expected) if self._expected else 0)

    @property
    def _expected(self) -> float:
        return 0.0 if self.durations is None else self.durations.expected

    @property
    def _to_fit(self) -> float:
        return 0.0 if self.durations is None else self.durations.to_fit

    @property
    def _time(self) -> float:
        assert self.box is not None
        return (self.box.length - self.box.margin).total_seconds()
