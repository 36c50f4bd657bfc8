"""Tokens per minute: a bucket that fills evenly, and how long until a refused call would fit."""

from holdfast.testing.model_server.behaviour import Behaviour
from holdfast.testing.model_server.clock import Clock


class Budget:
    def __init__(self, clock: Clock, behaviour: Behaviour) -> None:
        self._clock = clock
        self._at = clock.now()
        self._rate = 0.0
        self._full = float("inf")
        self._level = float("inf")
        self.change(behaviour)

    def change(self, behaviour: Behaviour) -> None:
        """A new budget begins full; an unchanged one keeps what is left of it."""
        if behaviour.tokens_per_minute is None:
            self._rate, self._full, self._level = 0.0, float("inf"), float("inf")
            return
        rate = behaviour.tokens_per_minute / 60
        full = max(1.0, rate * behaviour.burst.total_seconds())
        if (rate, full) != (self._rate, self._full):
            self._rate, self._full, self._level, self._at = rate, full, full, self._clock.now()

    def take(self, tokens: int) -> float:
        """Zero if they were taken, else the seconds until they could be. A huge call needs a full bucket."""
        now = self._clock.now()
        self._level = min(self._full, self._level + (now - self._at) * self._rate)
        self._at = now
        need = min(float(tokens), self._full)
        if self._level + 1e-9 < need:
            return (need - self._level) / self._rate
        self._level -= need
        return 0.0
