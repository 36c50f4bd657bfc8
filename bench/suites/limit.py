"""limit: the ceiling: our own statement without handlers, and below it what a queue without features does."""

import sys

from bench.drained import drain
from bench.result import OURS, Results
from bench.server import shown_settings
from bench.stores import Stores, stores
from bench.system import System, bare, ours

BARE = {"bare_settle": "our own statements without handlers", "bare_delete": "claim and delete; COPY"}


def limit(results: Results, runs: int, jobs: int) -> None:
    systems = [ours(), bare("settle"), bare("delete")]
    with stores() as places:
        results.settings |= shown_settings(places.postgres) | BARE
        for run in range(runs):
            for workers in (1, 2):
                for system in systems:
                    print(f"bench: limit, run {run + 1}, {workers} workers, {system.name} …", file=sys.stderr)
                    _round(results, places, system, workers, jobs)
    for system in systems[1:]:
        for name in ("drain_1", "drain_2", "bulk_enqueue"):
            _share(results, system.name, name)


def _share(results: Results, system: str, name: str) -> None:
    """Of what neighbours in time did."""
    most = results.figures[system, name].runs
    for our_rate, their_rate in zip(results.figures[OURS, name].runs, most, strict=True):
        share = our_rate / their_rate
        results.add(OURS, ours().version(), f"{name}_share_of_{system}", "share", share)


def _round(results: Results, places: Stores, system: System, workers: int, jobs: int) -> None:
    with places.fresh(system) as url:
        bulk = system.call("bulk", url, jobs)["seconds"]
        drained = drain(system, url, jobs, workers)
    results.add(system.name, system.version(), f"drain_{workers}", "jobs/s", jobs / drained.seconds)
    if workers == 1:
        results.add(system.name, system.version(), "bulk_enqueue", "jobs/s", jobs / bulk)
