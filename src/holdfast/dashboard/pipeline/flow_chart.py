"""The flow between stages as a drawing: a post for each stage, and bands as thick as the jobs are many.

Jobs go on to the next stage in a ribbon, around stages in a cord above, back in an amber one, and out below.
Like other charts it stretches: texts in percent, paths in a nested drawing. The page has the same as a table.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from holdfast.client.pipeline_figures import Flow
from holdfast.report.markup import Markup, element

WIDTH = 1000.0
THICKEST, THINNEST = 72.0, 1.5
THICK_ENOUGH = 15.0  # for words
NAMES = 14.0  # the line of the names
ABOVE = 48.0  # where jobs go around stages, or back
# Room above and below the middle of the posts, without and with bands that leave the straight way there.
HEAD, HIGH_HEAD = 70.0, 122.0
FOOT, DEEP_FOOT = 62.0, 92.0
BEND = 44.0
MOST_STAGES = 12


class Kind(IntEnum):
    """In the order in which bands leave a post, the topmost first."""

    BACK = 0
    AROUND = 1
    ON = 2
    DONE = 3
    OUT = 4


@dataclass(frozen=True, slots=True)
class Band:
    """A flow as it is drawn: from a stage to another one by their places, or to an end. The heights are those
    of its middle where it begins and ends.
    """

    flow: Flow
    kind: Kind
    source: int
    target: int
    thickness: float
    begins: float = 0.0
    ends: float = 0.0


def flow_chart(
    stages: Sequence[str], flows: Sequence[Flow], choke: str | None, now: str = ""
) -> Markup | None:
    """None if nothing flows, or if there are too many stages to tell them apart. `now`: at the bottleneck."""
    if not flows or len(stages) > MOST_STAGES:
        return None
    chart = _Chart(stages, flows)
    paths = [*chart.ribbons(), *chart.cords(), *chart.posts(choke)]
    nested = element(
        "svg",
        *paths,
        viewbox=f"0 0 {WIDTH:g} {chart.height:g}",
        preserveaspectratio="none",
        aria_hidden="true",
    )
    words = "; ".join(f"{one.stage} to {one.to} {_rate(one.per_minute)}" for one in flows)
    return element(
        "svg",
        nested,
        *chart.texts(),
        chart.at_choke(choke, now) if choke in stages else None,
        class_="ribbons",
        height=f"{chart.height:g}",
        role="img",
        aria_label=f"Jobs per minute between stages: {words[:1000]}.",
    )


class _Chart:
    def __init__(self, stages: Sequence[str], flows: Sequence[Flow]) -> None:
        self.stages = stages
        self._x = [WIDTH * (place + 0.5) / len(stages) for place in range(len(stages))]
        first = sum(one.per_minute for one in flows if one.stage == stages[0])
        again = sum(one.per_minute for one in flows if one.to == stages[0] and not one.is_end)
        self.entering = max(0.0, first - again)
        totals = [self._total(flows, name) for name in stages]
        self._scale = THICKEST / max(*totals, self.entering, 1e-9)
        bands = [self._band(one) for one in flows]
        self.middle = HIGH_HEAD if any(one.kind < Kind.ON for one in bands) else HEAD
        self.height = self.middle + (DEEP_FOOT if any(one.kind is Kind.OUT for one in bands) else FOOT)
        self.bands = self._stacked(bands)

    def _total(self, flows: Sequence[Flow], name: str) -> float:
        """The larger of what comes to a stage and what leaves it."""
        coming = sum(one.per_minute for one in flows if one.to == name and not one.is_end)
        return max(coming, sum(one.per_minute for one in flows if one.stage == name))

    def _thickness(self, per_minute: float) -> float:
        return max(THINNEST, self._scale * per_minute)

    def _band(self, flow: Flow) -> Band:
        source = self.stages.index(flow.stage)
        target = source if flow.is_end else self.stages.index(flow.to)
        if flow.is_end:
            is_last = flow.to == "completed" and source == len(self.stages) - 1
            kind = Kind.DONE if is_last else Kind.OUT
        else:
            kind = Kind.BACK if target <= source else Kind.ON if target == source + 1 else Kind.AROUND
        return Band(flow, kind, source, target, self._thickness(flow.per_minute))

    def _stacked(self, bands: Sequence[Band]) -> list[Band]:
        """Side by side at each post, on the side where they leave and on the one where they arrive."""
        leaving: dict[int, float] = {}
        arriving: dict[int, float] = {}
        placed = []
        ordered = sorted(bands, key=lambda one: (one.kind, one.source, one.flow.to))
        for place in range(len(self.stages)):
            leaving[place] = self.middle - sum(one.thickness for one in bands if one.source == place) / 2
            coming = (one.thickness for one in bands if one.target == place and not one.flow.is_end)
            arriving[place] = self.middle - sum(coming) / 2
        for one in ordered:
            begins = leaving[one.source] + one.thickness / 2
            leaving[one.source] += one.thickness
            ends = self.middle
            if not one.flow.is_end:
                ends = arriving[one.target] + one.thickness / 2
                arriving[one.target] += one.thickness
            placed.append(Band(one.flow, one.kind, one.source, one.target, one.thickness, begins, ends))
        return placed

    def ribbons(self) -> Iterator[Markup]:
        if self.entering:
            thickness = self._thickness(self.entering)
            yield _ribbon("ribbon", 0.0, self._x[0], self.middle, self.middle, thickness)
        for one in self.bands:
            x = self._x[one.source]
            if one.kind is Kind.ON:
                yield _ribbon("ribbon", x, self._x[one.target], one.begins, one.ends, one.thickness)
            elif one.kind is Kind.DONE:
                yield _ribbon("ribbon good", x, WIDTH, one.begins, one.begins, one.thickness)

    def cords(self) -> Iterator[Markup]:
        for one in self.bands:
            x, to = self._x[one.source], self._x[one.target]
            if one.kind is Kind.BACK:
                yield _cord("cord back", one.thickness, _back(x, to, one.begins, one.ends))
            elif one.kind is Kind.AROUND:
                yield _cord("cord", one.thickness, _around(x, to, one.begins, one.ends))
            elif one.kind is Kind.OUT:
                yield _cord("cord out", one.thickness, _out(x, self._exit(one), one.begins, self.height))

    def _exit(self, band: Band) -> float:
        """Where a band leaves below: those of one stage side by side."""
        others = [one for one in self.bands if one.kind is Kind.OUT and one.source == band.source]
        return self._x[band.source] + (0.2 + 0.12 * others.index(band)) * WIDTH / len(self.stages)

    def posts(self, choke: str | None) -> Iterator[Markup]:
        for place, name in enumerate(self.stages):
            coming = sum(one.thickness for one in self.bands if one.target == place and not one.flow.is_end)
            leaving = sum(one.thickness for one in self.bands if one.source == place)
            height = max(coming, leaving, 8.0) + 6
            yield element(
                "rect",
                class_="post choke" if name == choke else "post",
                x=f"{self._x[place] - 2:.1f}",
                width="4",
                y=f"{self.middle - height / 2:.1f}",
                height=f"{height:.1f}",
                rx="1",
            )

    def at_choke(self, choke: str | None, words: str) -> Markup | None:
        """Between its name and its post."""
        places = (x for x, name in zip(self._x, self.stages, strict=True) if name == choke)
        return _text("choke", next(places), NAMES + 15, words) if words else None

    def texts(self) -> Iterator[Markup]:
        longest = max(6, 100 // len(self.stages))
        for place, name in enumerate(self.stages):
            shown = name if len(name) <= longest else f"{name[: longest - 1]}…"
            yield element(
                "text", shown, element("title", name), class_="figure", x=_at(self._x[place]), y=NAMES
            )
        if self.entering:
            yield _text("figure", self._x[0] / 2, self.middle + 4, _rate(self.entering))
        for one in self.bands:
            yield from self._words(one)

    def _words(self, band: Band) -> Iterator[Markup]:
        rate, x, to = _rate(band.flow.per_minute), self._x[band.source], self._x[band.target]
        match band.kind:
            case Kind.ON:
                yield _text("figure", (x + to) / 2, (band.begins + band.ends) / 2 + 4, rate)
            case Kind.DONE:
                yield _text("figure", (x + WIDTH) / 2, band.begins + 4, rate)
                yield _text("", (x + WIDTH) / 2, self.middle + THICKEST / 2 + 14, "completed")
            case Kind.BACK:
                words = "again" if band.source == band.target else "back"
                yield _above((x + to) / 2, band, f"{words}, {rate}")
            case Kind.AROUND:
                skipped = self.stages[band.source + 1 : band.target]
                words = f"past {skipped[0][:24] if len(skipped) == 1 else f'{len(skipped)} stages'}"
                yield _above((x + to) / 2, band, f"{words}, {rate}")
            case Kind.OUT:
                others = [one for one in self.bands if one.kind is Kind.OUT and one.source == band.source]
                line = self.height - 8 - 15 * (len(others) - 1 - others.index(band))
                yield _text("end", self._exit(band) - 8, line, f"{band.flow.to}, {rate}")


def _above(x: float, band: Band, words: str) -> Markup:
    """Inside of a band that goes above the posts, or over one that is too thin for words."""
    if band.thickness > THICK_ENOUGH:
        return _text("figure", x, ABOVE + 4, words)
    return _text("", x, ABOVE - band.thickness / 2 - 4, words)


def _ribbon(look: str, x: float, to: float, begins: float, ends: float, thickness: float) -> Markup:
    half, bend = thickness / 2, (x + to) / 2
    upper = f"M{x:.1f} {begins - half:.1f} C{bend:.1f} {begins - half:.1f} {bend:.1f} {ends - half:.1f}"
    lower = f"{to:.1f} {ends - half:.1f} V{ends + half:.1f} C{bend:.1f} {ends + half:.1f}"
    back = f"{bend:.1f} {begins + half:.1f} {x:.1f} {begins + half:.1f} Z"
    return element("path", class_=look, d=f"{upper} {lower} {back}")


def _cord(look: str, thickness: float, path: str) -> Markup:
    return element("path", class_=look, stroke_width=f"{thickness:.1f}", d=path)


def _around(x: float, to: float, begins: float, ends: float) -> str:
    top, bend = (x + to) / 2, (to - x) / 4
    rising = (
        f"M{x:.1f} {begins:.1f} C{x + bend:.1f} {begins:.1f} {x + bend:.1f} {ABOVE:g} {top:.1f} {ABOVE:g}"
    )
    return f"{rising} S{to - bend:.1f} {ends:.1f} {to:.1f} {ends:.1f}"


def _back(x: float, to: float, begins: float, ends: float) -> str:
    right = f"M{x:.1f} {begins:.1f} C{x + BEND:.1f} {begins:.1f} {x + BEND:.1f} {ABOVE:g} {x:.1f} {ABOVE:g}"
    left = f"C{to - BEND:.1f} {ABOVE:g} {to - BEND:.1f} {ends:.1f} {to:.1f} {ends:.1f}"
    return f"{right} H{to:.1f} {left}"


def _out(x: float, to: float, begins: float, bottom: float) -> str:
    bend = (to - x) * 0.8
    return f"M{x:.1f} {begins:.1f} C{x + bend:.1f} {begins:.1f} {to:.1f} {begins + 8:.1f} {to:.1f} {bottom:g}"


def _text(look: str, x: float, y: float, words: str) -> Markup:
    return element("text", words, class_=look or None, x=_at(x), y=f"{y:.1f}")


def _at(x: float) -> str:
    return f"{100 * x / WIDTH:.2f}%"


def _rate(per_minute: float) -> str:
    return f"{per_minute:,.1f}/min" if per_minute >= 0.05 else "< 0.1/min"
