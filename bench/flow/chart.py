"""The chart of goodput: a row per scenario, a mark per controller. Plain SVG, readable on light and dark."""

from collections.abc import Iterator, Sequence

from bench.flow.bars import Means

WIDTH, LEFT, RIGHT, TOP, ROW = 760, 96, 24, 64, 34
LEAST, MOST = 20.0, 100.0
SVG = "http://www.w3.org/2000/svg"
AXIS = "goodput, % of the best static limit"
SHAPES = (
    [(-5, -5), (5, -5), (5, 5), (-5, 5)],
    [(0, -6), (6, 5), (-6, 5)],
    [(0, 6), (6, -5), (-6, -5)],
    [(0, -7), (7, 0), (0, 7), (-7, 0)],
    [
        (-5, -7),
        (0, -2),
        (5, -7),
        (7, -5),
        (2, 0),
        (7, 5),
        (5, 7),
        (0, 2),
        (-5, 7),
        (-7, 5),
        (-2, 0),
        (-7, -5),
    ],
)
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .grid { stroke: #d0d7de } .row { stroke: #eaeef2 }
  .m0 { fill: #6e7781 } .m1 { fill: #b35900 } .m2 { fill: #8a6d00 } .m3 { fill: #1f78a8 }
  .m4 { fill: #9c3d8f }
  .ours { fill: #0a7f4f; stroke: #ffffff; stroke-width: 1.5 } .strong { font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .grid { stroke: #3d444d } .row { stroke: #262c36 }
    .m0 { fill: #9198a1 } .m1 { fill: #f0883e } .m2 { fill: #d4b106 } .m3 { fill: #58b5e8 }
    .m4 { fill: #e08bd3 }
    .ours { fill: #3fd68f; stroke: #0d1117 }
  }
"""


def chart(means: Means, controllers: Sequence[str], scenarios: Sequence[str], ours: str = "flow") -> str:
    """Goodput in % of the oracle; the last row is the mean over the scenarios."""
    rows = [*scenarios, "mean"]
    height = TOP + ROW * len(rows) + 40
    label = f"Goodput of {len(controllers)} controllers in {len(scenarios)} scenarios"
    parts = [
        f'<svg xmlns="{SVG}" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}">',
        f"<style>{STYLE}</style>",
        *_legend(controllers, ours),
        *_grid(rows),
        *_marks(means, controllers, scenarios, ours),
        f'<text x="{_x(60.0):.0f}" y="{height - 8}" text-anchor="middle">{AXIS}</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _legend(controllers: Sequence[str], ours: str) -> Iterator[str]:
    step = (WIDTH - LEFT - RIGHT) / len(controllers)
    for index, name in enumerate(controllers):
        x = LEFT + index * step
        yield _mark(index, x + 8, 24, is_ours=name == ours)
        weight = ' class="strong"' if name == ours else ""
        yield f'<text x="{x + 20:.0f}" y="28"{weight}>{name}</text>'


def _grid(rows: Sequence[str]) -> Iterator[str]:
    bottom = TOP + ROW * len(rows)
    for percent in range(int(LEAST), int(MOST) + 1, 20):
        x = _x(percent)
        yield f'<line class="grid" x1="{x:.0f}" x2="{x:.0f}" y1="{TOP - 8}" y2="{bottom}"/>'
        yield f'<text x="{x:.0f}" y="{TOP - 14}" text-anchor="middle">{percent}</text>'
    for index, name in enumerate(rows):
        y = _y(index)
        weight = ' class="strong"' if name == "mean" else ""
        yield f'<line class="row" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.0f}" y2="{y:.0f}"/>'
        yield f'<text x="{LEFT - 12}" y="{y + 4:.0f}" text-anchor="end"{weight}>{name}</text>'


def _marks(means: Means, controllers: Sequence[str], scenarios: Sequence[str], ours: str) -> Iterator[str]:
    """Ours last, so that nothing lies over it."""
    ordered = sorted(enumerate(controllers), key=lambda pair: pair[1] == ours)
    for index, name in ordered:
        values = [means[name, scenario].goodput for scenario in scenarios]
        for row, value in enumerate([*values, sum(values) / len(values)]):
            yield _mark(index, _x(value), _y(row), is_ours=name == ours)


def _mark(index: int, x: float, y: float, *, is_ours: bool) -> str:
    """A shape of its own for each, so that colour is not needed to tell them apart."""
    if is_ours:
        return f'<circle class="ours" cx="{x:.1f}" cy="{y:.1f}" r="7.5"/>'
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in SHAPES[index % len(SHAPES)])
    return f'<polygon class="m{index % len(SHAPES)}" points="{points}"/>'


def _x(percent: float) -> float:
    shown = min(MOST, max(LEAST, percent))
    return LEFT + (WIDTH - LEFT - RIGHT) * (shown - LEAST) / (MOST - LEAST)


def _y(row: int) -> float:
    return TOP + ROW * (row + 0.5)
