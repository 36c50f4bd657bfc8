"""The tables, in Markdown."""

from collections.abc import Iterable, Iterator, Sequence

from bench.flow.bars import Bar, Means
from bench.flow.measure import Figures


def table(means: Means, controllers: Sequence[str], scenarios: Sequence[str]) -> str:
    """Goodput per scenario, then what is not the same thing for every scenario as means."""
    head = ["controller", *scenarios, "mean", "wasted calls %", "recovery s (outage/day)", "dead jobs"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for controller in controllers:
        row = [means[controller, scenario] for scenario in scenarios]
        lines.append("| " + " | ".join([controller, *_cells(row)]) + " |")
    return "\n".join(lines)


def _cells(row: Sequence[Figures]) -> Iterator[str]:
    yield from (f"{figures.goodput:.0f}" for figures in row)
    yield f"{sum(f.goodput for f in row) / len(row):.1f}"
    yield f"{sum(f.wasted for f in row) / len(row):.1f}"
    yield "/".join(f"{f.recovery:.0f}" for f in row if f.recovery is not None)
    yield f"{sum(f.dead for f in row) / len(row):.1f}"


def checklist(bars: Iterable[Bar]) -> str:
    return "\n".join(_line(bar) for bar in bars)


def _line(bar: Bar) -> str:
    sign = "≥" if bar.is_least else "≤"
    return f"{'ok' if bar.is_met else 'MISS':4} {bar.what:52} {bar.value:7.1f} {sign} {bar.bar:g}"
