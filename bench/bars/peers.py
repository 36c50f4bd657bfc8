"""The bars of `peers`: ratios to the best of those that keep their jobs in PostgreSQL."""

from collections.abc import Iterator

from bench.bars.bar import Bar
from bench.peers.environment import POSTGRES_PEERS
from bench.result import OURS, Results

LEAST = {"drain_1": 3.0, "drain_2": 2.5, "bulk_enqueue": 2.2, "single_enqueue_1": 1.0}
MOST = {"pickup_p50": 0.7, "pickup_p99": 1.0, "wal_bytes_per_job": 1.0, "buffers_per_job": 1.0, "rss_mb": 1.2}
OURS_ALONE = {"statements_per_job": 0.05, "idle_statements_per_s": 2.0, "import_s": 0.35}
PICKUP_TO_TASKIQ = 1.3
CALLERS_64, CALLERS_1 = 10.0, 15.0  # either of them is enough
BEST = "the best peer's"
ON_POSTGRES = tuple(peer.name for peer in POSTGRES_PEERS)


def peers_bars(results: Results) -> Iterator[Bar]:
    """A peer that failed on the way may lack a figure; a bar needs one that has it."""
    for figure, least in LEAST.items():
        if peer := results.best(figure, ON_POSTGRES):
            yield Bar(figure, results.paired(OURS, peer, figure), least=least, to=BEST)
    peers = [peer for peer in ON_POSTGRES if (peer, "single_enqueue_64") in results.figures]
    if peers:
        yield Bar(
            "single_enqueue_64",
            min(_of_64_callers(results, peer) for peer in peers),
            least=1.0,
            to="ten times a peer's or fifteen times its single_enqueue_1",
        )
    for figure, most in MOST.items():
        if peer := results.best(figure, ON_POSTGRES):
            yield Bar(figure, results.paired(OURS, peer, figure), most=most, to=BEST)
    if ("taskiq", "pickup_p50") in results.figures:
        ratio = results.paired(OURS, "taskiq", "pickup_p50")
        yield Bar("pickup_p50", ratio, most=PICKUP_TO_TASKIQ, to="that of taskiq on Redis")
    for figure, most in OURS_ALONE.items():
        yield Bar(figure, results.median(OURS, figure), most=most)


def _of_64_callers(results: Results, peer: str) -> float:
    ours = results.median(OURS, "single_enqueue_64")
    return max(
        ours / results.median(peer, "single_enqueue_64") / CALLERS_64,
        ours / results.median(peer, "single_enqueue_1") / CALLERS_1,
    )
