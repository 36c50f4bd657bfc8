"""How the jobs of a run stand, as one bar. The figures stand beside it as text."""

from collections.abc import Iterator
from typing import Protocol

from holdfast.report.charts.share_bar import shares_bar
from holdfast.report.markup import Markup


class Ends(Protocol):
    @property
    def total(self) -> int: ...
    @property
    def completed(self) -> int: ...
    @property
    def rejected(self) -> int: ...
    @property
    def cancelled(self) -> int: ...
    @property
    def dead(self) -> int: ...


def progress_bar(run: Ends, running: int = 0) -> Markup:
    """What ended well, otherwise, and not at all; then what runs. The rest is empty."""
    return shares_bar(list(_shares(run, running)))


def _shares(run: Ends, running: int) -> Iterator[tuple[float, str]]:
    whole = max(run.total, 1)
    counts = (
        (run.completed, "completed"),
        (run.rejected + run.cancelled, "quiet"),
        (run.dead, "dead"),
        (running, "running"),
    )
    return ((number / whole, colour) for number, colour in counts)
