"""A chart over time: areas on each other, lines, limits, and below them a strip of bars for what is rare.

The outer drawing is in pixels and percent, so that it stretches without distorting text; the paths are in a
nested one that stretches freely.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from holdfast.report.charts.paths import area_path, line_path, step_path
from holdfast.report.charts.scale import share, time_ticks, value_ticks
from holdfast.report.local_time import drawn_tick
from holdfast.report.markup import Child, Markup, element, joined

TOP = 10.0
PLOT = 136.0
GAP = 26.0  # between the plot and the strip: its title
STRIP = 40.0
FOOT = 18.0
WIDE_GAP = 30.0  # percent: words fit into it


@dataclass(frozen=True, slots=True)
class Series:
    """`colour` is the word of a state: completed, dead, failed, running, ready, scheduled or quiet."""

    name: str
    colour: str
    values: Sequence[float | None]

    @property
    def known(self) -> list[float]:
        return [value or 0.0 for value in self.values]


@dataclass(frozen=True, slots=True)
class TimeChart:
    """Each series has one value per slice between `since` and `until`, None for a gap; `hints` has a sentence
    per slice. `limits` are dashed steps behind the rest, with one unit of room above. `before`: words for a
    wide gap at the beginning.
    """

    key: str
    title: str
    description: str
    since: datetime
    until: datetime
    areas: Sequence[Series] = ()
    lines: Sequence[Series] = ()
    limits: Sequence[Series] = ()
    strip_title: str = ""
    bars: Sequence[Series] = ()
    hints: Sequence[str] = ()
    before: Child = None
    ticks: Callable[[float], list[float]] = value_ticks
    tick: Callable[[float], str] = field(
        default=lambda value: f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"
    )

    @property
    def slices(self) -> int:
        return len([*self.areas, *self.lines, *self.limits, *self.bars][0].values)

    @property
    def first_known(self) -> int:
        """The slice in which areas and lines begin."""
        drawn = list(zip(*(one.values for one in [*self.areas, *self.lines, *self.limits]), strict=True))
        known = (n for n, values in enumerate(drawn) if any(value is not None for value in values))
        return next(known, self.slices)

    @property
    def floor(self) -> float:
        """Where the strip ends, or the plot if there is none."""
        return TOP + PLOT + (GAP + STRIP if self.bars else 0)


def time_chart(chart: TimeChart) -> Markup:
    ticks = chart.ticks(_highest(chart))
    bar_ticks = _bar_ticks(chart)
    height = chart.floor + FOOT
    scale = element(
        "svg",
        *(_label(chart.tick(value), _y(value, ticks[-1])) for value in ticks),
        *(_label(f"{value:,.0f}", _strip_y(chart, value, bar_ticks[-1])) for value in bar_ticks),
        class_="plot axis",
        width="36",
        height=height,
        aria_hidden="true",
    )
    drawing = element(
        "svg",
        element("title", chart.title, id=f"{chart.key}-title"),
        element("desc", chart.description, id=f"{chart.key}-desc"),
        *_grid(chart, ticks, bar_ticks),
        _paths(chart, ticks[-1]),
        *_bars(chart, bar_ticks[-1] if bar_ticks else 1.0),
        _before(chart),
        *_times(chart),
        *_hints(chart),
        class_="plot",
        height=height,
        role="img",
        aria_labelledby=f"{chart.key}-title {chart.key}-desc",
    )
    return element("div", scale, drawing, class_="chart")


def legend(
    areas: Sequence[Series],
    lines: Sequence[Series] = (),
    bars: Sequence[Series] = (),
    limits: Sequence[Series] = (),
) -> Markup:
    area = joined(element("rect", class_="area", width="14", height="10"), _dash())
    bar = element("rect", class_="solid", x="4", y="1", width="6", height="9", rx="1")
    marks = [
        *((one, area) for one in areas),
        *((one, _dash()) for one in lines),
        *((one, element("path", class_="stroke dash", d="M0 5h14")) for one in limits),
        *((one, bar) for one in bars),
    ]
    return element("ul", *(_legend_line(one, mark) for one, mark in marks), class_="legend")


def _legend_line(series: Series, mark: Markup) -> Markup:
    return element(
        "li",
        element("svg", mark, viewbox="0 0 14 10", aria_hidden="true"),
        series.name,
        class_=f"c-{series.colour}",
    )


def _dash() -> Markup:
    return element("path", class_="stroke", d="M0 1h14")


def _highest(chart: TimeChart) -> float:
    stacked = [sum(values) for values in zip(*(one.known for one in chart.areas), strict=True)]
    lines = [value for one in chart.lines for value in one.known]
    limits = [value + 1 for one in chart.limits for value in one.known]
    return max([*stacked, *lines, *limits], default=0.0)


def _bar_ticks(chart: TimeChart) -> list[float]:
    if not chart.bars:
        return []
    highest = max(
        (sum(values) for values in zip(*(one.known for one in chart.bars), strict=True)), default=0.0
    )
    return [0.0, value_ticks(highest)[-1]]


def _y(value: float, top: float) -> float:
    return TOP + PLOT - PLOT * value / top


def _strip_y(chart: TimeChart, value: float, top: float) -> float:
    return chart.floor - STRIP * value / top


def _label(words: str, y: float) -> Markup:
    return element("text", words, class_="end", x="30", y=y + 3.5)


def _grid(chart: TimeChart, ticks: list[float], bar_ticks: list[float]) -> list[Markup]:
    lines = [(_y(value, ticks[-1]), value == 0) for value in ticks]
    lines += [(_strip_y(chart, value, bar_ticks[-1]), value == 0) for value in bar_ticks]
    return [
        element("line", class_="base" if is_base else "grid", x1="0", x2="100%", y1=y, y2=y)
        for y, is_base in lines
    ]


def _paths(chart: TimeChart, top: float) -> Markup:
    lower = [0.0] * chart.slices
    areas, edges = [], []
    for one in chart.areas:
        upper = [
            None if value is None else below + value for below, value in zip(lower, one.values, strict=True)
        ]
        areas.append(element("path", class_=f"area c-{one.colour}", d=area_path(upper, lower, top, PLOT)))
        edges.append(element("path", class_=f"stroke c-{one.colour}", d=line_path(upper, top, PLOT)))
        lower = [below + value for below, value in zip(lower, one.known, strict=True)]
    lines = [
        element("path", class_=f"stroke heavy c-{one.colour}", d=line_path(one.values, top, PLOT))
        for one in chart.lines
    ]
    limits = [
        element("path", class_=f"stroke dash c-{one.colour}", d=step_path(one.values, top, PLOT))
        for one in chart.limits
    ]
    return element(
        "svg",
        *areas,
        *limits,
        *reversed(edges),
        *lines,
        y=TOP,
        height=PLOT,
        viewbox=f"0 0 {chart.slices} {PLOT:g}",
        preserveaspectratio="none",
    )


def _before(chart: TimeChart) -> Markup | None:
    gap = 100 * chart.first_known / chart.slices
    if not chart.before or gap < WIDE_GAP or gap == 100:
        return None
    return element("text", chart.before, class_="note mid", x=f"{gap / 2:.2f}%", y=TOP + PLOT / 2)


def _bars(chart: TimeChart, top: float) -> list[Markup]:
    """Stacked; a bar that stands for anything can be seen."""
    if not chart.bars:
        return []
    width, drawn = (
        100 / chart.slices,
        [element("text", chart.strip_title, class_="note", x="0", y=TOP + PLOT + 21)],
    )
    for number in range(chart.slices):
        floor = chart.floor
        for one in chart.bars:
            if value := one.known[number]:
                height = max(1.5, STRIP * value / top)
                floor -= height
                drawn.append(_bar(one.colour, number * width + 0.15 * width, 0.7 * width, floor, height))
    return drawn


def _bar(colour: str, x: float, width: float, y: float, height: float) -> Markup:
    return element(
        "rect",
        class_=f"solid c-{colour}",
        x=f"{x:.2f}%",
        width=f"{width:.2f}%",
        y=f"{y:.1f}",
        height=f"{height:.1f}",
    )


def _times(chart: TimeChart) -> list[Markup]:
    """The words of a time; those near an edge stand inside of it."""
    axis = chart.since, chart.until
    return [
        drawn_tick(axis, at, x := share(at, *axis), chart.floor + FOOT - 3, class_=_anchor(x))
        for at in time_ticks(*axis)
    ]


def _anchor(x: float) -> str:
    if x < 3:
        return "start"
    return "end" if x > 97 else "mid"


def _hints(chart: TimeChart) -> list[Markup]:
    width = 100 / chart.slices
    return [
        element(
            "g",
            element("title", words),
            element("rect", x=f"{n * width:.2f}%", width=f"{width:.2f}%", y=TOP, height=chart.floor - TOP),
            class_="hit",
        )
        for n, words in enumerate(chart.hints)
    ]
