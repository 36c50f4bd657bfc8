"""The bars of `api`: what HTTP may cost, and what waiting costs."""

from collections.abc import Iterator

from bench.bars.bar import Bar
from bench.result import OURS, Results

SQL = "sql"
LEAST = {"claim_and_complete_10": 0.15, "enqueue_16": 0.3}
MOST = {"long_polls_mb": 200.0, "long_polls_statements_per_s": 20.0}


def api_bars(results: Results) -> Iterator[Bar]:
    for figure, least in LEAST.items():
        yield Bar(figure, results.paired(OURS, SQL, figure), least=least, to="SQL's")
    for figure, most in MOST.items():
        yield Bar(figure, results.median(OURS, figure), most=most)
