"""drain: the quick one: how fast no-op jobs are *recorded as done in the database*, against one peer.

With enough jobs also what all statistics together cost.
"""

import sys

from bench.drained import drain as drain_all
from bench.older import in_turn, older
from bench.peers.environment import peer
from bench.result import OURS, Results
from bench.server import shown_settings
from bench.stores import Stores, stores
from bench.system import System, ours, uncounted

BAR = 1.5
PEER = "pgqueuer"
UNCOUNTED_BAR = 0.95
MANY = 300_000  # fewer are drained before a worker has counted a few times


def drain(results: Results, runs: int, jobs: int, against: str | None) -> None:
    """Misses its bar below one and a half times the peer; `against`: a commit that is measured, too.

    With many jobs also if it is below 0.95 of the same drain without statistics.
    """
    their = peer(PEER)
    ablated = [uncounted()] if jobs >= MANY else []
    with older(against, ours().script.name) as before, stores() as places:
        results.settings |= shown_settings(places.postgres)
        for run in range(runs):
            for workers in (1, 2):
                _round(Results("drain"), places, ours(), workers, jobs)  # to warm up: it counts for nothing
                for system in [*in_turn([ours(), *ablated, *before], run), their]:
                    print(f"bench: drain, run {run + 1}, {system.name}, {workers} workers …", file=sys.stderr)
                    _round(results, places, system, workers, jobs)
    bars = {PEER: BAR} | {system.name: UNCOUNTED_BAR for system in ablated}
    for name in ("drain_1", "drain_2"):
        for other, bar in bars.items():
            ratio = results.paired(OURS, other, name)
            if ratio < bar:
                results.missed.append(f"{name}: {ratio:.2f} of {other}, at least {bar} is wanted")


def _round(results: Results, places: Stores, system: System, workers: int, jobs: int) -> None:
    with places.fresh(system) as url:
        seconds = system.call("bulk", url, jobs)["seconds"]
        if workers == 1:
            results.add(system.name, system.version(), "bulk_enqueue", "jobs/s", jobs / seconds)
        drained = drain_all(system, url, jobs, workers)
        results.add(system.name, system.version(), f"drain_{workers}", "jobs/s", jobs / drained.seconds)
