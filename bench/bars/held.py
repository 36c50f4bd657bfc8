"""The bars of `held`: a snapshot that another session holds does not slow the queue down."""

from collections.abc import Iterator

from bench.bars.bar import Bar
from bench.result import OURS, Results

FLAT = 0.95  # within what ten seconds can tell
CLAIM_P99_MS = 50.0
FULL_SPEED = 0.75


def held_bars(results: Results) -> Iterator[Bar]:
    yield _last_to_first(results, "steady", FLAT)
    yield Bar("steady_claim_p99", results.median(OURS, "steady_claim_p99"), most=CLAIM_P99_MS)
    yield _last_to_first(results, "full", FULL_SPEED)


def _last_to_first(results: Results, mode: str, least: float) -> Bar:
    """Ten seconds each. Run by run: from one to the next the machine's own speed changes."""
    first, last = f"{mode}_first", f"{mode}_last"
    return Bar(last, results.between((OURS, last), (OURS, first)), least=least, to=first)
