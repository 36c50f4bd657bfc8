"""Virtual time: actions in the order of their times."""

import heapq
from collections.abc import Callable
from itertools import count

Action = Callable[[], None]


class Clock:
    def __init__(self) -> None:
        self.now = 0.0
        self._order = count()
        self._actions: list[tuple[float, int, Action]] = []

    def after(self, seconds: float, action: Action) -> None:
        self.at(self.now + seconds, action)

    def at(self, time: float, action: Action) -> None:
        """Actions of the same time run in the order in which they were given."""
        heapq.heappush(self._actions, (time, next(self._order), action))

    def run(self, until: float) -> None:
        while self._actions and self._actions[0][0] <= until:
            self.now, _, action = heapq.heappop(self._actions)
            action()
        self.now = until
