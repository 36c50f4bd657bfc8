"""The bars of `held`: a snapshot that somebody holds does not slow the queue down."""

from collections.abc import Iterator
from statistics import median

from bench.bars.bar import Bar
from bench.result import OURS, Results

FLAT = 0.95  # within what ten seconds can tell
CLAIM_P99_MS = 50.0
FULL_SPEED = 0.75


def held_bars(results: Results) -> Iterator[Bar]:
    yield Bar("steady: last 10 s, to the first 10 s", _last_to_first(results, "steady"), least=FLAT)
    yield Bar("steady: claim p99 in ms", results.median(OURS, "steady_claim_p99"), most=CLAIM_P99_MS)
    yield Bar("full speed: last 10 s, to the first 10 s", _last_to_first(results, "full"), least=FULL_SPEED)


def _last_to_first(results: Results, mode: str) -> float:
    """The median of the ratios run by run: from one to the next the machine's own speed changes."""
    first, last = (results.figures[OURS, f"{mode}_{when}"].runs for when in ("first", "last"))
    return median(end / begin for begin, end in zip(first, last, strict=True))
