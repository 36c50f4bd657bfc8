"""The bars of `depth`: a job costs the same whatever else is in the database."""

from collections.abc import Iterator
from statistics import median

from bench.bars.bar import Bar
from bench.result import OURS, Results

DEEP = ("ready_deep", "ended_deep")
BASE = "ready_base"
RATE = 0.75
COST = 1.20


def depth_bars(results: Results) -> Iterator[Bar]:
    for depth in DEEP:
        yield Bar(f"{depth}: rate, to that at the base", _of_pairs(results, depth), least=RATE)
        for cost in ("buffers", "wal_bytes"):
            ratio = results.median(OURS, f"{depth}_{cost}") / results.median(OURS, f"{BASE}_{cost}")
            yield Bar(f"{depth}: {cost} per job, to those at the base", ratio, most=COST)


def _of_pairs(results: Results, depth: str) -> float:
    """The median of the ratios of neighbours in time, not the ratio of the medians: noise comes in waves."""
    base, deep = (results.figures[OURS, f"{name}_rate"].runs for name in (BASE, depth))
    return median(b / a for a, b in zip(base, deep, strict=True))
