"""Drains: from the moment the workers may begin until the database has recorded the last end."""

import time
from dataclasses import dataclass

from bench.meter import Meter, Usage
from bench.server import watching
from bench.system import Store, System, Workers, finish, until_ready


@dataclass(frozen=True, slots=True)
class Drained:
    seconds: float
    usage: Usage | None  # of PostgreSQL


def drain(system: System, url: str, jobs: int, workers: int) -> Drained:
    """All that is there, `jobs` in number; anything but as many recorded ends is an error."""
    meter = Meter(url) if system.store is Store.POSTGRES else None
    watch = system.start("watch", watching(url) if meter else url, jobs)
    crew = Workers(system, url, workers)
    try:
        until_ready(watch)  # its start would take from the same two cores
        if meter:
            meter.start()
        began = time.time()
        crew.go()
        recorded = finish(watch)
        usage = meter.read() if meter else None
        reports = crew.stop()
    except BaseException:
        crew.kill()
        watch.kill()
        raise
    handled = sum(report["handled"] for report in reports)
    if recorded["done"] != jobs or handled != jobs:
        raise RuntimeError(f"{system.name} handled {handled} and recorded {recorded['done']} of {jobs} jobs")
    # A system that keeps no record of its ends says itself when it had the last commit.
    last = max((report["last"] for report in reports if "last" in report), default=recorded["last"])
    return Drained(last - began, usage)
