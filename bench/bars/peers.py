"""The bars of `peers`: ratios to the best of those that keep their jobs in PostgreSQL."""

from collections.abc import Callable, Iterator

from bench.bars.bar import Bar
from bench.result import OURS, Results

LEAST = {"drain_1": 2.5, "drain_2": 2.5, "bulk_enqueue": 4.0, "single_enqueue_1": 1.1}
MOST = {"pickup_p50": 0.7, "pickup_p99": 1.0, "wal_bytes_per_job": 1.0, "buffers_per_job": 1.0, "rss_mb": 1.2}
OURS_ALONE = {"statements_per_job": 0.05, "idle_statements_per_s": 2.0, "import_s": 0.35}
PICKUP_TO_TASKIQ = 1.3
CALLERS_64, CALLERS_1 = 10.0, 15.0  # either of them is enough


def peers_bars(results: Results) -> Iterator[Bar]:
    for figure, least in LEAST.items():
        yield Bar(f"{figure}, to the best peer's", _to_best(results, figure, max), least=least)
    yield Bar(
        "single_enqueue_64, to ten times a peer's or fifteen times its single_enqueue_1",
        min(_of_64_callers(results, peer) for peer in _peers(results, "single_enqueue_64")),
        least=1.0,
    )
    for figure, most in MOST.items():
        yield Bar(f"{figure}, to the best peer's", _to_best(results, figure, min), most=most)
    if ("taskiq", "pickup_p50") in results.figures:
        ratio = results.paired(OURS, "taskiq", "pickup_p50")
        yield Bar("pickup_p50, to that of taskiq on Redis", ratio, most=PICKUP_TO_TASKIQ)
    for figure, most in OURS_ALONE.items():
        yield Bar(figure, results.median(OURS, figure), most=most)


def _to_best(results: Results, figure: str, best: Callable[..., str]) -> float:
    peer = best(_peers(results, figure), key=lambda peer: results.median(peer, figure))
    return results.paired(OURS, peer, figure)


def _of_64_callers(results: Results, peer: str) -> float:
    ours = results.median(OURS, "single_enqueue_64")
    return max(
        ours / results.median(peer, "single_enqueue_64") / CALLERS_64,
        ours / results.median(peer, "single_enqueue_1") / CALLERS_1,
    )


def _peers(results: Results, figure: str) -> list[str]:
    """Those on PostgreSQL, as only they have WAL; one that failed on the way may lack a figure."""
    names = [system for system, name in results.figures if name == "wal_bytes_per_job" and system != OURS]
    return [name for name in names if (name, figure) in results.figures]
