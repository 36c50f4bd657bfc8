"""mixed: what the features cost, each alone and all together, and to peers that have the same feature."""

import sys
from pathlib import Path

from bench.drained import drain
from bench.left_out import leave_out
from bench.older import in_turn, older
from bench.peers.environment import peer
from bench.peers.script import FEATURES as IN_USE
from bench.result import OURS, Results
from bench.server import shown_settings
from bench.stores import Stores, stores
from bench.system import HERE, System, SystemFailed, ours

SCRIPT = "mixed_script.py"
PLAIN = "plain"
FEATURES = {
    PLAIN: "",
    "queues": "queues",  # 20 of them
    "priorities": "priorities",  # 5
    "unique": "unique",  # a key for each job
    "failures": "failures",  # 5 % fail once and are retried
    "runs": "runs",  # 10, while one client reads the progress
    "rules": "rules",  # 10 of the task, of which two match each job
    "all": "queues priorities unique failures runs",
}
# A bulk enqueue with features that peers have, too: the fastest peer first, right after ours.
BOTH = ("pgqueuer", "procrastinate", "chancy", "saq", "dbos")
SHARED = {
    "priorities": BOTH,
    "unique": (*BOTH, "absurd-sdk"),
    "priorities unique": BOTH,
}
PEERS = SHARED["unique"]


def mixed(results: Results, runs: int, jobs: int, only: list[str] | None, against: str | None) -> None:
    """`only`: these peers and no others; `against`: a commit with which plain jobs are compared."""
    system = System(OURS, HERE / "peers" / SCRIPT, Path(sys.executable), package="holdfast-queue")
    peers = {name: peer(name) for name in PEERS if not only or name in only}
    with older(against, SCRIPT) as before, stores() as places:
        results.settings |= shown_settings(places.postgres) | {"jobs": str(jobs)}
        for run in range(1, runs + 1):
            # To warm up: what comes first after a slow system is slower, and plain comes first.
            _enqueue_and_drain(Results("mixed"), places, system, PLAIN, "", jobs)
            _features(results, places, [system, *before], jobs, run)
            _bulks(results, places, {OURS: system, **peers}, jobs, run)
    _compare_with_plain(results)


def _features(results: Results, places: Stores, systems: list[System], jobs: int, run: int) -> None:
    """Ours with each feature; an older commit with none, since its script may not know them all."""
    for name, features in FEATURES.items():
        for system in in_turn(systems, run) if name == PLAIN else systems[:1]:
            if system.name in results.failures:
                continue
            _say(run, name, system)
            try:
                _enqueue_and_drain(results, places, system, name, features, jobs)
            except SystemFailed as failed:
                leave_out(results, failed, name)


def _enqueue_and_drain(
    results: Results, places: Stores, system: System, name: str, features: str, jobs: int
) -> None:
    env = {IN_USE: features}
    with places.fresh(system) as url:
        bulk = system.call("bulk", url, jobs, env=env)["seconds"]
        drained = drain(system, url, jobs, 1, env)
    assert drained.usage is not None
    figures = {
        "enqueue": ("jobs/s", jobs / bulk),
        "drain": ("jobs/s", jobs / drained.seconds),
        "wal": ("bytes/job", drained.usage.wal / jobs),
        "buffers": ("buffers/job", drained.usage.buffers / jobs),
        "statements": ("statements/job", drained.usage.statements / jobs),
    }
    for kind, (unit, value) in figures.items():
        results.add(system.name, system.version(), f"{kind}_{name}", unit, value)


def _bulks(results: Results, places: Stores, systems: dict[str, System], jobs: int, run: int) -> None:
    """Feature by feature over all systems that have it: those that are compared are neighbours in time."""
    for features, names in SHARED.items():
        figure = f"bulk_{features.replace(' ', '_')}"
        _bulk(Results("mixed"), places, systems[OURS], figure, features, jobs)  # to warm up
        for name in (OURS, *names):
            if name in results.failures or name not in systems:
                continue
            _say(run, figure, systems[name])
            try:
                _bulk(results, places, systems[name], figure, features, jobs)
            except SystemFailed as failed:
                leave_out(results, failed, figure)


def _bulk(results: Results, places: Stores, system: System, figure: str, features: str, jobs: int) -> None:
    with places.fresh(system) as url:
        seconds = system.call("bulk", url, jobs, env={IN_USE: features})["seconds"]
        stored = system.call("count", url)["left"]
    if stored != jobs:
        raise SystemFailed(system.name, f"stored {stored} of {jobs} jobs")
    results.add(system.name, system.version(), figure, "jobs/s", jobs / seconds)


def _compare_with_plain(results: Results) -> None:
    for kind in ("enqueue", "drain"):
        for name in list(FEATURES)[1:]:
            share = results.between((OURS, f"{kind}_{name}"), (OURS, f"{kind}_{PLAIN}"))
            results.add(OURS, ours().version(), f"{kind}_{name}_to_{PLAIN}", "x", share)


def _say(run: int, what: str, system: System) -> None:
    print(f"bench: mixed, run {run}, {what}, {system.name} …", file=sys.stderr)
