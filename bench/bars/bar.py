"""One bar, and the list of them for people."""

from collections.abc import Iterable
from dataclasses import dataclass

from bench.result import number


@dataclass(frozen=True, slots=True)
class Bar:
    what: str
    value: float
    least: float | None = None
    most: float | None = None

    @property
    def is_met(self) -> bool:
        above = self.least is None or self.value >= self.least
        return above and (self.most is None or self.value <= self.most)

    def __str__(self) -> str:
        wanted = f"≥ {self.least:g}" if self.least is not None else f"≤ {self.most:g}"
        return f"{self.what}: {number(self.value)}, wanted {wanted}"


def checklist(bars: Iterable[Bar]) -> str:
    return "\n".join(f"{'ok' if bar.is_met else 'MISS':4} {bar}" for bar in bars)
