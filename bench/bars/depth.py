"""The bars of `depth`: a job costs the same whatever else is in the database."""

from collections.abc import Iterator

from bench.bars.bar import Bar
from bench.result import OURS, Results

DEEP = ("ready_deep", "ended_deep")
BASE = "ready_base"
RATE = 0.75
COST = 1.20


def depth_bars(results: Results) -> Iterator[Bar]:
    for depth in DEEP:
        for kind in ("rate", "buffers", "wal_bytes"):
            figure, base = f"{depth}_{kind}", f"{BASE}_{kind}"
            ratio = results.between((OURS, figure), (OURS, base))
            if kind == "rate":
                yield Bar(figure, ratio, least=RATE, to=base)
            else:
                yield Bar(figure, ratio, most=COST, to=base)
