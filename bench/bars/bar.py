"""One bar, and the list of them for people."""

from collections.abc import Iterable
from dataclasses import dataclass

from bench.result import number


@dataclass(frozen=True, slots=True)
class Bar:
    """`value` is our figure itself, or its ratio to what `to` names; None: not measured."""

    figure: str
    value: float | None
    least: float | None = None
    most: float | None = None
    to: str = ""

    @property
    def is_met(self) -> bool:
        if self.value is None:
            return False
        above = self.least is None or self.value >= self.least
        return above and (self.most is None or self.value <= self.most)

    @property
    def what(self) -> str:
        return f"{self.figure}, to {self.to}" if self.to else self.figure

    @property
    def wanted(self) -> str:
        return f"≥ {self.least:g}" if self.least is not None else f"≤ {self.most:g}"

    def __str__(self) -> str:
        value = "not measured" if self.value is None else number(self.value)
        return f"{self.what}: {value}, wanted {self.wanted}"


def checklist(bars: Iterable[Bar]) -> str:
    return "\n".join(f"{'ok' if bar.is_met else 'MISS':4} {bar}" for bar in bars)
