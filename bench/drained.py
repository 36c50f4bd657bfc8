"""Drains: from the moment the workers may begin until the database has recorded the last end."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from bench.meter import Meter, Usage
from bench.peers.script import WORKERS
from bench.server import watching
from bench.system import Store, System, SystemFailed, Workers, until_ready


@dataclass(frozen=True, slots=True)
class Drained:
    seconds: float
    usage: Usage | None  # of PostgreSQL


def drain(system: System, url: str, jobs: int, workers: int, env: Mapping[str, str] | None = None) -> Drained:
    """All that is there, `jobs` in number; anything but as many recorded ends raises SystemFailed."""
    meter = Meter(url) if system.store is Store.POSTGRES else None
    watched = watching(url) if meter else url
    env = {**(env or {}), WORKERS: str(workers)}
    with (
        system.start("watch", watched, jobs, env=env) as watch,
        Workers(system, url, workers, env) as crew,
    ):
        until_ready(watch)  # its start would take from the same two cores
        if meter:
            meter.start()
        began = time.time()
        crew.go()
        recorded = crew.until(watch)
        usage = meter.read() if meter else None
        reports = crew.stop()
    handled = sum(report["handled"] for report in reports)
    if recorded["done"] != jobs or handled != jobs:
        raise SystemFailed(system.name, f"handled {handled} and recorded {recorded['done']} of {jobs} jobs")
    # A system that keeps no record of its ends says itself when it had the last commit.
    last = max((report["last"] for report in reports if "last" in report), default=recorded["last"])
    return Drained(last - began, usage)
