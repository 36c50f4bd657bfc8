"""A row of the timeline."""

from dataclasses import dataclass, replace
from datetime import timedelta

from holdfast.report.charts.flow import Bar


@dataclass(frozen=True, slots=True)
class Fault:
    """An error, shown where it happened."""

    kind: str
    message: str
    place: str = ""
    error_class: str = ""
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """`symbol` and `look` are a shape of the sprite and its colour; `level` is how far it is set in."""

    words: str
    note: str = ""
    bar: Bar | None = None
    took: timedelta | None = None
    symbol: str = ""
    look: str = ""
    level: int = 0
    is_stage: bool = False
    fault: Fault | None = None

    def deeper(self) -> "Row":
        """Below the heading of a stage."""
        return replace(self, level=min(self.level + 1, 2))
