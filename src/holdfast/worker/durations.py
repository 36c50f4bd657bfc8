"""How long attempts take, so that a worker with a time box claims nothing that it could not finish."""

from collections import deque
from collections.abc import Iterable
from datetime import timedelta

PER_TASK = 20
RECENT = 50


class Durations:
    """By task, of the latest attempts; what a claim brings is guessed from what the latest claims brought."""

    __slots__ = ("_by_task", "_expected", "_recent")

    def __init__(self, seed: timedelta | None = None) -> None:
        """`seed`: what is known of such jobs from others, until some have ended here."""
        self._by_task: dict[str, deque[float]] = {}
        self._recent: deque[str] = deque(maxlen=RECENT)
        self._expected = 0.0 if seed is None else seed.total_seconds()

    @property
    def expected(self) -> float:
        """Seconds in which nine of ten jobs are done; 0 while nothing is known."""
        return self._expected

    def note(self, task: str, seconds: float) -> None:
        if task not in self._by_task:
            self._by_task[task] = deque(maxlen=PER_TASK)
        self._by_task[task].append(seconds)
        self._recent.append(task)
        usual = {name: _nine_in_ten(self._by_task[name]) for name in set(self._recent)}
        self._expected = _nine_in_ten(usual[name] for name in self._recent)


def _nine_in_ten(seconds: Iterable[float]) -> float:
    ordered = sorted(seconds)
    return ordered[int(0.9 * (len(ordered) - 1))]
