"""How long attempts take, so that a worker with a time box claims no job that it could not finish."""

from collections import deque
from collections.abc import Iterable
from datetime import timedelta

PER_TASK = 20
RECENT = 50


class Durations:
    """By task, from the latest attempts; the next claim is assumed to bring the same tasks as the latest
    claims.
    """

    __slots__ = ("_begun", "_by_task", "_expected", "_recent", "_seed", "_to_fit", "_yielding")

    def __init__(self, seed: timedelta | None = None) -> None:
        """`seed`: the durations that other workers measured, until some attempts have ended here."""
        self._seed = 0.0 if seed is None else seed.total_seconds()
        self._by_task: dict[str, deque[float]] = {}
        self._recent: deque[str] = deque(maxlen=RECENT)  # of ended attempts
        self._begun: deque[str] = deque(maxlen=RECENT)
        self._yielding: set[str] = set()
        self._expected = self._seed
        self._to_fit: float | None = self._seed  # None: not computed yet

    @property
    def expected(self) -> float:
        """Seconds in which nine of ten jobs finish; 0 if unknown."""
        return self._expected

    @property
    def to_fit(self) -> float:
        """Seconds that nine of ten jobs need before the margin; a job that can yield needs none."""
        if self._to_fit is None:
            needs = {name: self._need(name) for name in set(self._begun)}
            self._to_fit = _nine_in_ten(needs[name] for name in self._begun)
        return self._to_fit

    def begin(self, task: str, can_yield: bool) -> None:
        self._begun.append(task)
        if can_yield:
            self._yielding.add(task)
        self._to_fit = None

    def note(self, task: str, seconds: float) -> None:
        if task not in self._by_task:
            self._by_task[task] = deque(maxlen=PER_TASK)
        self._by_task[task].append(seconds)
        self._recent.append(task)
        usual = {name: _nine_in_ten(self._by_task[name]) for name in set(self._recent)}
        self._expected = _nine_in_ten(usual[name] for name in self._recent)
        self._to_fit = None

    def _need(self, task: str) -> float:
        if task in self._yielding:
            return 0.0
        return _nine_in_ten(self._by_task[task]) if task in self._by_task else self._seed


def _nine_in_ten(seconds: Iterable[float]) -> float:
    ordered = sorted(seconds)
    return ordered[int(0.9 * (len(ordered) - 1))]
