"""The bars of `dashboard`: no page is slow, and watching browsers share what they cost."""

from collections.abc import Iterator

from bench.bars.bar import Bar
from bench.result import OURS, Results

SLOWEST = 200.0  # ms
ONE, FIFTY = "watchers_1_statements_per_s", "watchers_50_statements_per_s"
# Rounds of reads and of figures that are kept need not begin together.
SHARED = 1.3


def dashboard_bars(results: Results) -> Iterator[Bar]:
    for system, figure in results.figures:
        if system == OURS and figure.endswith(" p95"):
            yield Bar(figure, results.median(OURS, figure), most=SLOWEST)
    yield Bar(FIFTY, results.between((OURS, FIFTY), (OURS, ONE)), most=SHARED, to="one watcher's")
