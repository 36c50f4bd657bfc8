"""The bars of `permit`: what an endpoint costs a job, and what endpoints cost the jobs that have none.

The time of a turn is shown without a bar, except beside that of a job without an endpoint.
"""

from collections.abc import Iterator

from bench.bars.bar import Bar
from bench.result import OURS, Results

SIZES = (1, 10)
MOST = 2.0
MOST_BESIDE = 1.05
LEAST_HEAP_ONLY = 99.5


def permit_bars(results: Results) -> Iterator[Bar]:
    for size in SIZES:
        for unit in ("us", "buffers", "wal_bytes"):
            yield _bar(results, f"endpoint_{size}_{unit}", f"plain_{size}_{unit}", MOST)
        for unit in ("buffers", "wal_bytes"):
            yield _bar(results, f"beside_{size}_{unit}", f"alone_{size}_{unit}", MOST_BESIDE)
    figure = "heap_only_calls_of_100_ms"
    yield Bar(figure, results.median(OURS, figure), least=LEAST_HEAP_ONLY)


def _bar(results: Results, figure: str, base: str, most: float) -> Bar:
    return Bar(figure, results.between((OURS, figure), (OURS, base)), most=most, to=base)
