"""drain: the quick one: how fast no-op jobs are *recorded as done in the database*, against one peer."""

import sys

from bench.drained import drain as drain_all
from bench.peers.environment import peer
from bench.result import OURS, Results
from bench.server import shown_settings
from bench.stores import Stores, stores
from bench.system import System, ours

BAR = 1.5


def drain(results: Results, runs: int, jobs: int) -> None:
    """Misses its bar below one and a half times the peer."""
    systems = [ours(), peer("pgqueuer")]
    with stores() as places:
        results.settings |= shown_settings(places.postgres)
        for run in range(runs):
            for system in systems:
                for workers in (1, 2):
                    print(f"bench: drain, run {run + 1}, {system.name}, {workers} workers …", file=sys.stderr)
                    _round(results, places, system, workers, jobs)
    for figure in results.figures.values():
        ratio = results.ratio(figure)
        if figure.name.startswith("drain") and ratio is not None and figure.system != OURS and ratio < BAR:
            results.missed.append(f"{figure.name}: {ratio:.2f} of {figure.system}, at least {BAR} is wanted")


def _round(results: Results, places: Stores, system: System, workers: int, jobs: int) -> None:
    with places.fresh(system) as url:
        seconds = system.call("bulk", url, jobs)["seconds"]
        if workers == 1:
            results.add(system.name, system.version(), "bulk_enqueue", "jobs/s", jobs / seconds)
        drained = drain_all(system, url, jobs, workers)
        results.add(system.name, system.version(), f"drain_{workers}", "jobs/s", jobs / drained.seconds)
