"""The bar of `pipeline`: a step through a stage is nearly as fast as a plain job."""

from collections.abc import Iterator

from bench.bars.bar import Bar
from bench.result import OURS, Results

LEAST = 0.8


def pipeline_bars(results: Results) -> Iterator[Bar]:
    ratio = results.between((OURS, "drain_steps"), (OURS, "drain_plain"))
    yield Bar("drain_steps", ratio, least=LEAST, to="drain_plain")
