"""The life of one thing on a time axis: an axis above, and a track with a bar for each row of a list.

The rows themselves are the page's. Everything is in percent of the track, so that it stretches.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from holdfast.report.charts.scale import duration_ticks, share, tick_words, time_ticks
from holdfast.report.local_time import drawn_tick
from holdfast.report.markup import Markup, element
from holdfast.report.words import duration

# Below this a clock time says less than the time since the beginning.
SHORT = timedelta(minutes=10)
THINNEST = 0.5  # percent: what took no time can still be seen
NEAR_EDGE = 20.0  # percent: the words of a tick there would touch those of "now"


@dataclass(frozen=True, slots=True)
class Axis:
    """`is_open`: it ends now, and goes on."""

    since: datetime
    until: datetime
    is_open: bool = False

    def place(self, at: datetime) -> float:
        """In percent, inside of the axis."""
        length = max(self.until, self.since + timedelta(milliseconds=1))
        return min(max(share(at, self.since, length), 0.0), 100.0)

    @property
    def is_short(self) -> bool:
        """Then its ticks are times since the beginning, else of the clock, in UTC."""
        return self.until - self.since < SHORT

    def ticks(self) -> list["Tick"]:
        last = 100.0 - NEAR_EDGE if self.is_open else 100.0
        found = _offsets(self) if self.is_short else _times(self)
        return [one for one in found if 0 < one.x <= last]


@dataclass(frozen=True, slots=True)
class Bar:
    """`look`: hold for a wait, solid for work, span for what holds others. `colour` is a state's word."""

    since: datetime
    until: datetime
    look: str = "solid"
    colour: str = "running"
    hint: str = ""


class Tick(NamedTuple):
    """`x` in percent. `at` only of a time of the clock."""

    x: float
    words: str
    at: datetime | None = None


class Portion(NamedTuple):
    """A part of the whole time."""

    words: str
    colour: str
    length: timedelta


def _times(axis: Axis) -> list[Tick]:
    ticks = time_ticks(axis.since, axis.until, 4)
    return [Tick(axis.place(at), tick_words(at, axis.since, axis.until), at) for at in ticks]


def _offsets(axis: Axis) -> list[Tick]:
    """Since the beginning: a job that took seconds crosses no minute."""
    seconds = (axis.until - axis.since).total_seconds()
    steps = [timedelta(seconds=one) for one in duration_ticks(seconds)]
    return [
        Tick(axis.place(axis.since + step), f"+{duration(step)}")
        for step in steps
        if step <= axis.until - axis.since
    ]


def axis_track(axis: Axis) -> Markup:
    """The words of the ticks."""
    words = [_words(axis, one, "end" if one.x > 97 else "middle") for one in axis.ticks()]
    now = element("text", "now", class_="now-text", x="100%", y="18", text_anchor="end")
    return _track(*words, now if axis.is_open else None)


def _words(axis: Axis, tick: Tick, anchor: str) -> Markup:
    if tick.at is None:
        return element("text", tick.words, x=f"{tick.x:.2f}%", y="18", text_anchor=anchor)
    return drawn_tick((axis.since, axis.until), tick.at, tick.x, 18.0, text_anchor=anchor)


def grid_track(axis: Axis) -> Markup:
    """The lines of the ticks, behind all rows."""
    lines = [_line("grid", one.x) for one in axis.ticks()]
    return _track(*lines, _line("now", 100.0) if axis.is_open else None)


def bar_track(axis: Axis, bar: Bar | None) -> Markup:
    if bar is None:
        return _track()
    left, right = axis.place(bar.since), axis.place(bar.until)
    width = max(THINNEST, right - left)
    drawn = element(
        "rect",
        element("title", bar.hint) if bar.hint else None,
        class_=f"bar {bar.look}" + ("" if bar.look == "span" else f" c-{bar.colour}"),
        x=f"{min(left, 100.0 - width):.2f}%",
        width=f"{width:.2f}%",
        y="50%",
        height="10",
        rx="2",
    )
    return _track(drawn)


def portions_bar(portions: Sequence[Portion], label: str) -> Markup:
    """One bar that says where the time went. The figures stand below it as text."""
    whole = sum((one.length for one in portions), timedelta()) or timedelta(seconds=1)
    drawn, x = [], 0.0
    for one in portions:
        width = 100 * (one.length / whole)
        look = "solid" if one.colour == "running" else "soft"
        drawn.append(
            element(
                "rect", class_=f"{look} c-{one.colour}", x=f"{x:.2f}%", width=f"{width:.2f}%", height="10"
            )
        )
        x += width
    return element("svg", *drawn, class_="share", role="img", aria_label=label)


def _track(*children: Markup | None) -> Markup:
    return element("svg", *children, class_="track", aria_hidden="true")


def _line(look: str, x: float) -> Markup:
    return element("line", class_=look, x1=f"{x:.2f}%", x2=f"{x:.2f}%", y1="0", y2="100%")
