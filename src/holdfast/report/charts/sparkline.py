"""A line of the size of a word, from zero, its last point marked."""

from collections.abc import Sequence

from holdfast.report.charts.paths import area_path, line_path
from holdfast.report.markup import Markup, element

HEIGHT = 22.0
LEAST_TOP = 4.0  # a handful of single errors must not look like a mountain range
MOST_POINTS = 30


def sparkline(values: Sequence[float], colour: str, label: str = "") -> Markup:
    """Without a label it repeats what the text beside it says, and screen readers skip it."""
    points = _thinned(list(values) or [0.0])
    top = max(LEAST_TOP, *points) * 1.1
    zero = [0.0] * len(points)
    drawing = element(
        "svg",
        element("path", class_="area", d=area_path(points, zero, top, HEIGHT)),
        element("path", class_="stroke", d=line_path(points, top, HEIGHT)),
        viewbox=f"0 0 {len(points)} {HEIGHT:g}",
        preserveaspectratio="none",
    )
    dot = element("circle", class_="tail", cx="100%", cy=HEIGHT - HEIGHT * points[-1] / top, r="2")
    return element(
        "svg",
        element("title", label) if label else None,
        drawing,
        dot,
        class_=f"spark c-{colour}",
        role="img" if label else None,
        aria_hidden=None if label else "true",
    )


def _thinned(values: list[float]) -> list[float]:
    """Neighbours together, so that points stay apart; the oldest ones left out where they would be fewer."""
    step = -(-len(values) // MOST_POINTS)
    return [sum(values[i : i + step]) for i in range(len(values) % step, len(values), step)]
