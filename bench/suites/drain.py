"""drain: how fast no-op jobs are *recorded as done in the database*, with one and with two workers."""

import sys

from bench.peers.environment import peer
from bench.result import OURS, Results
from bench.server import fresh_database, server, setting
from bench.system import System, finish, ours

BAR = 1.5


def drain(results: Results, runs: int, jobs: int) -> None:
    """Misses its bar below one and a half times the peer."""
    systems = [ours(), peer("pgqueuer")]
    with server() as url:
        for name in ("server_version", "fsync", "synchronous_commit", "shared_buffers"):
            results.settings[name] = setting(url, name)
        for run in range(runs):
            for system in systems:
                for workers in (1, 2):
                    _round(results, system, url, run, workers, jobs)
    for figure in results.figures.values():
        ratio = results.ratio(figure)
        if figure.name.startswith("drain") and ratio is not None and figure.system != OURS and ratio < BAR:
            results.missed.append(f"{figure.name}: {ratio:.2f} of {figure.system}, at least {BAR} is wanted")


def _round(results: Results, system: System, url: str, run: int, workers: int, jobs: int) -> None:
    print(f"bench: drain, run {run + 1}, {system.name}, {workers} workers …", file=sys.stderr)
    with fresh_database(url, f"bench_{system.name}_{run}_{workers}") as database:
        version = system.call("prepare", database)["version"]
        seconds = system.call("enqueue", database, jobs)["seconds"]
        if workers == 1:
            results.add(system.name, version, "bulk_enqueue", "jobs/s", jobs / seconds)
        turns = [
            finish(process) for process in [system.start("drain", database, jobs) for _ in range(workers)]
        ]
        recorded = system.call("count", database)
        if (recorded["done"], recorded["left"]) != (jobs, 0):
            raise RuntimeError(f"{system.name} recorded {recorded} of {jobs} jobs")
        # From the moment the last worker began to work until the database recorded the last end.
        took = recorded["last"] - max(turn["began"] for turn in turns)
        results.add(system.name, version, f"drain_{workers}", "jobs/s", jobs / took)
