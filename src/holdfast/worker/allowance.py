"""What a worker's time box allows it: to claim, to wait, and to say goodbye."""

from datetime import timedelta
from time import monotonic

from holdfast.worker.durations import Durations
from holdfast.worker.succession import Succession
from holdfast.worker.timebox import TimeBox

GOODBYE = timedelta(seconds=5)
LEAST_GOODBYE = timedelta(milliseconds=100)


class Allowance:
    """Without a box everything is allowed. `durations` are measured only with one."""

    def __init__(self, box: TimeBox | None, succession: Succession) -> None:
        self.box = box
        self._succession = succession
        self.durations: Durations | None = None

    def know(self, usual: timedelta | None) -> None:
        """What such jobs usually take, as others have measured it."""
        self.durations = Durations(usual)

    @property
    def cancels_at(self) -> float | None:
        return None if self.box is None else self.box.cancels_at

    @property
    def goodbye(self) -> timedelta:
        """For the last words to the database."""
        return GOODBYE if self.box is None else min(GOODBYE, max(LEAST_GOODBYE, self.box.left_to(0)))

    def may_claim(self) -> bool:
        """Whether what is claimed now would be done before the margin, or can yield there.

        Half a box is always worth a try.
        """
        if self.box is None:
            return True
        left = self.box.yields_at - monotonic()
        return self._succession.opens_in <= 0 and left > 0 and min(self._to_fit, self._time / 2) <= left

    def may_ever_claim(self) -> bool:
        """From some moment on nothing would be done in time."""
        return self._succession.opens_in > 0 or self.may_claim()

    def capacity(self, slots: int, handled: int) -> int | None:
        """How many jobs a worker like this one does in a box, as far as it was measured."""
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
