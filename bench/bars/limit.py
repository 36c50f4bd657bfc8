"""The bars of `limit`: our share of the ceiling, with one and with two worker processes."""

from collections.abc import Iterator

from bench.bars.bar import Bar
from bench.result import OURS, Results

SHARES = {"drain_1": 0.45, "drain_2": 0.50}


def limit_bars(results: Results) -> Iterator[Bar]:
    for figure, least in SHARES.items():
        share = results.paired(OURS, "bare_settle", figure)
        yield Bar(figure, share, least=least, to="that of a bare loop of settle_and_claim")
