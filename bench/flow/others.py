"""The controllers that ours is compared with: fixed, two kinds of AIMD, Gradient2 and Vegas."""

import math
from random import Random

from bench.flow.breaker import Ended, WithBreaker
from bench.flow.controller import CallResult

MOST = 64.0


class Fixed(WithBreaker):
    def learn(self, ended: Ended) -> None:
        """Nothing."""


class Aimd(WithBreaker):
    """Every 10 outcomes: more than 95 % good, one more; less than 80 %, half. From 1 to 10, starting at 3."""

    def __init__(self) -> None:
        super().__init__(3.0)
        self._good = 0
        self._outcomes = 0

    def learn(self, ended: Ended) -> None:
        self._good += ended.answer is CallResult.OK
        self._outcomes += 1
        if self._outcomes < 10:
            return
        if self._good > 9.5:
            self.limit = min(10.0, self.limit + 1.0)
        elif self._good < 8:
            self.limit = max(1.0, 0.5 * self.limit)
        self._good = self._outcomes = 0


class AimdSimple(WithBreaker):
    """10 successes, one more; 2 errors in a row, 70 %. From 1 to 10, starting at 3."""

    def __init__(self) -> None:
        super().__init__(3.0)
        self._good = 0
        self._bad = 0

    def learn(self, ended: Ended) -> None:
        if ended.answer is CallResult.OK:
            self._bad = 0
            self._good += 1
            if self._good == 10:
                self._good = 0
                self.limit = min(10.0, self.limit + 1.0)
            return
        self._bad += 1
        if self._bad == 2:
            self._good = self._bad = 0
            self.limit = max(1.0, 0.7 * self.limit)


class Gradient2(WithBreaker):
    """The published algorithm: a long mean of latency against windows of 10 calls. Errors are no samples."""

    def __init__(self) -> None:
        super().__init__(5.0)
        self._window: list[float] = []
        self._most_in_flight = 0
        self._windows = 0
        self._long = 0.0

    def learn(self, ended: Ended) -> None:
        if ended.answer not in {CallResult.OK, CallResult.TIMED_OUT}:
            return
        self._window.append(ended.seconds)
        self._most_in_flight = max(self._most_in_flight, ended.in_flight)
        if len(self._window) == 10:
            short, in_flight = sum(self._window) / 10.0, self._most_in_flight
            self._window, self._most_in_flight = [], 0
            self._update_long(short)
            if in_flight >= self.limit / 2.0:
                self._update_limit(short)

    def _update_long(self, short: float) -> None:
        self._windows += 1
        weight = 1.0 / self._windows if self._windows <= 10 else 2.0 / 601.0
        self._long += (short - self._long) * weight
        if self._long / short > 2.0:
            self._long *= 0.9

    def _update_limit(self, short: float) -> None:
        gradient = max(0.5, min(1.0, self._long / short))
        wanted = self.limit * gradient + 4.0
        self.limit = max(1.0, min(MOST, 0.8 * self.limit + 0.2 * wanted))


class Vegas(WithBreaker):
    """The published algorithm: the queue is what latency above the smallest one ever seen amounts to."""

    def __init__(self, seed: int) -> None:
        super().__init__(5.0)
        self._random = Random(f"controller {seed}")
        self._least = math.inf
        self._samples = 0
        self._forget_after = self._random.uniform(0.5, 1.0)

    def learn(self, ended: Ended) -> None:
        """Forgets the smallest latency now and then, else a lucky sample would last for ever."""
        if ended.answer is CallResult.REFUSED:
            return
        is_drop = ended.answer is not CallResult.OK
        self._samples += 1
        if not is_drop and self._samples >= self._forget_after * 30.0 * self.limit:
            self._samples = 0
            self._forget_after = self._random.uniform(0.5, 1.0)
            self._least = ended.seconds
        elif not is_drop and ended.seconds < self._least:
            self._least = ended.seconds
        else:
            self._move(ended, is_drop=is_drop)

    def _move(self, ended: Ended, *, is_drop: bool) -> None:
        step = max(1, int(math.log10(self.limit)))
        queue = math.ceil(self.limit * (1.0 - min(1.0, self._least / ended.seconds)))
        change = 0
        if is_drop:
            change = -step
        elif 2 * ended.in_flight < self.limit:
            change = 0
        elif queue <= step:
            change = 6 * step
        elif queue < 3 * step:
            change = step
        elif queue > 6 * step:
            change = -step
        self.limit = max(1.0, min(MOST, self.limit + change))
