"""How late the event loop is, and how many attempts end per second; looked at once a second."""

import asyncio
from collections import deque
from collections.abc import Callable
from time import monotonic

EVERY = 1.0
LOOKS = 10


class LoopWatch:
    """Remembers the last ten looks."""

    def __init__(self, handled: Callable[[], int]) -> None:
        """`handled`: how many attempts have ended so far."""
        self._handled = handled
        self._lags: deque[float] = deque([0.0], maxlen=LOOKS)
        self._counts: deque[tuple[float, int]] = deque([(monotonic(), handled())], maxlen=LOOKS + 1)

    @property
    def lag(self) -> float:
        """The longest delay of the last ten looks, in seconds."""
        return max(self._lags)

    @property
    def rate(self) -> float:
        """Attempts that ended per second, over the last ten looks."""
        began, before = self._counts[0]
        passed = monotonic() - began
        return (self._handled() - before) / passed if passed > 0 else 0.0

    async def run(self) -> None:
        while True:
            wanted = monotonic() + EVERY
            await asyncio.sleep(EVERY)
            now = monotonic()
            self._lags.append(max(0.0, now - wanted))
            self._counts.append((now, self._handled()))
