"""Ranges of durations on a logarithmic axis: a dot at p50, a bar from there to p95.

Such an axis has no zero: nothing is drawn for what is too short to have a place on it.
"""

from collections.abc import Sequence
from datetime import timedelta

from holdfast.report.charts.scale import log_share
from holdfast.report.markup import Markup, element

Range = tuple[str, timedelta | None, timedelta | None]  # colour, p50, p95

_TICKS = ((1.0, "1 s"), (60.0, "1 min"), (3600.0, "1 h"), (86_400.0, "1 d"))
LEAST = 0.05  # seconds; shorter ones count as zero


class LogAxis:
    """From below the shortest to above the longest of all durations, at least two ticks."""

    def __init__(self, lengths: Sequence[timedelta | None]) -> None:
        known = [one.total_seconds() for one in lengths if one is not None and not _is_zero(one)]
        self.shortest = min(*known, 0.5, 0.5) * 0.7
        self.longest = max(*known, 90.0, 90.0) * 1.4

    def place(self, length: timedelta) -> float:
        return log_share(length, self.shortest, self.longest)

    def places(self) -> list[tuple[float, str]]:
        inside = [(tick, words) for tick, words in _TICKS if self.shortest < tick < self.longest]
        return [(self.place(timedelta(seconds=tick)), words) for tick, words in inside]


def _is_zero(length: timedelta) -> bool:
    return length.total_seconds() < LEAST


def axis_words(axis: LogAxis) -> Markup:
    return element(
        "svg",
        *(element("text", words, class_="mid", x=f"{x:.1f}%", y="15") for x, words in axis.places()),
        class_="plot",
        aria_hidden="true",
    )


def range_bar(axis: LogAxis, ranges: Sequence[Range]) -> Markup:
    """Up to two ranges, the first above. The figures stand beside it as text."""
    grid = [
        element("line", class_="grid", x1=f"{x:.1f}%", x2=f"{x:.1f}%", y1="-7", y2="29")
        for x, _ in axis.places()
    ]
    drawn: list[Markup] = []
    for row, (colour, middle, high) in enumerate(ranges):
        if middle is None or high is None or _is_zero(high):
            continue
        left, right, y = axis.place(middle), axis.place(high), 4 + 9 * row
        drawn.append(
            element(
                "rect",
                class_=f"soft c-{colour}",
                x=f"{left:.1f}%",
                width=f"{max(0.0, right - left):.1f}%",
                y=y,
                height="6",
                rx="3",
            )
        )
        if not _is_zero(middle):
            drawn.append(element("circle", class_=f"solid c-{colour}", cx=f"{left:.1f}%", cy=y + 3, r="3"))
    return element("svg", *grid, *drawn, class_="plot", aria_hidden="true")
