"""The bars of `mixed`: what features may cost, and what they may cost compared with a peer."""

from collections.abc import Iterator

from bench.bars.bar import Bar
from bench.result import OURS, Results

TO_PLAIN = {
    "enqueue_priorities": 0.75,
    "enqueue_queues": 0.65,
    "enqueue_runs": 0.7,
    "enqueue_unique": 0.5,
    "enqueue_rules": 0.5,
    "enqueue_all": 0.4,
    "drain_failures": 0.65,
    "drain_all": 0.55,
}
PEER = "pgqueuer"
TO_PEER = {"bulk_priorities": 1.3, "bulk_priorities_unique": 1.0}


def mixed_bars(results: Results) -> Iterator[Bar]:
    for figure, least in TO_PLAIN.items():
        plain = f"{figure.split('_', maxsplit=1)[0]}_plain"
        measured = (OURS, figure) in results.figures
        share = results.between((OURS, figure), (OURS, plain)) if measured else None
        yield Bar(figure, share, least=least, to=plain)
    for figure, least in TO_PEER.items():
        if (PEER, figure) in results.figures:
            yield Bar(figure, results.paired(OURS, PEER, figure), least=least, to=f"{PEER}'s")
