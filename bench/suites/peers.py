"""peers: ours and the others on the same server in the same run, from the first enqueue to idle memory."""

import sys
import time
from statistics import quantiles

import psutil

from bench.drained import drain
from bench.meter import Meter
from bench.peers.environment import OTHER_PEERS, POSTGRES_PEERS
from bench.result import Results
from bench.server import shown_settings, watching
from bench.stores import Stores, stores
from bench.system import Store, System, Workers, finish, ours

CALLERS = (1, 8, 64)
SINGLE_ROUNDS = 5  # one caller's figure is the closest of all
PICKUPS, PICKUP_EVERY_MS = 300, 20
IDLE_SECONDS = 5.0


def peers(
    results: Results, runs: int, jobs: int, seconds: float, redis: bool, only: list[str] | None
) -> None:
    """`seconds`: how long the callers of single enqueues go on; `only`: these peers and no others."""
    chosen = [*POSTGRES_PEERS, *(OTHER_PEERS if redis else ())]
    systems = [ours(), *(peer.system() for peer in chosen if not only or peer.name in only)]
    with stores(redis) as places:
        results.settings |= shown_settings(places.postgres)
        results.settings |= {"jobs": str(jobs), "seconds of single enqueues": f"{seconds:g}"}
        for run in range(runs):
            for system in systems:
                print(f"bench: peers, run {run + 1}, {system.name} …", file=sys.stderr)
                _Round(results, places, system, jobs, seconds).measure()
        for _ in range(runs, SINGLE_ROUNDS if runs > 1 else runs):
            for system in systems:
                _Round(results, places, system, jobs, seconds).single(1)


class _Round:
    """All figures of one system, once."""

    def __init__(self, results: Results, places: Stores, system: System, jobs: int, seconds: float) -> None:
        self._results = results
        self._places = places
        self._system = system
        self._jobs = jobs
        self._seconds = seconds

    def measure(self) -> None:
        for workers in (1, 2):
            self._drain(workers)
        self._idle()
        for callers in CALLERS:
            self.single(callers)
        self._add("import_s", "s", self._system.import_seconds())

    def _drain(self, workers: int) -> None:
        with self._places.fresh(self._system) as url:
            bulk = self._system.call("bulk", url, self._jobs)["seconds"]
            drained = drain(self._system, url, self._jobs, workers)
        self._add(f"drain_{workers}", "jobs/s", self._jobs / drained.seconds)
        if workers > 1:
            return
        self._add("bulk_enqueue", "jobs/s", self._jobs / bulk)
        if drained.usage:
            self._add("statements_per_job", "statements", drained.usage.statements / self._jobs)
            self._add("wal_bytes_per_job", "bytes", drained.usage.wal / self._jobs)
            self._add("buffers_per_job", "buffers", drained.usage.buffers / self._jobs)

    def _idle(self) -> None:
        """An idle worker: what it takes and asks, and how soon it has a job that comes."""
        with self._places.fresh(self._system) as url:
            crew = Workers(self._system, url)
            try:
                crew.go()
                time.sleep(2.0)  # until it has settled down
                self._rest(crew, url)
                self._system.call("trickle", url, PICKUPS, PICKUP_EVERY_MS)
                watched = watching(url) if self._system.store is Store.POSTGRES else url
                finish(self._system.start("watch", watched, PICKUPS))
                (report,) = crew.stop()
            except BaseException:
                crew.kill()
                raise
        cuts = quantiles((1000 * latency for latency in report["latencies"]), n=100, method="inclusive")
        for percent in (50, 95, 99):
            self._add(f"pickup_p{percent}", "ms", cuts[percent - 1])

    def _rest(self, crew: Workers, url: str) -> None:
        meter = Meter(url) if self._system.store is Store.POSTGRES else None
        if meter:
            meter.start()
        time.sleep(IDLE_SECONDS)
        if meter:
            self._add("idle_statements_per_s", "statements/s", meter.read().statements / IDLE_SECONDS)
        process = psutil.Process(crew.processes[0].pid)
        family = [process, *process.children(recursive=True)]
        self._add("rss_mb", "MB", sum(one.memory_info().rss for one in family) / 1e6)

    def single(self, callers: int) -> None:
        with self._places.fresh(self._system) as url:
            answer = self._system.call("single", url, self._seconds, callers)
            stored = self._system.call("count", url)["left"]
        if stored != answer["jobs"] + callers:  # each caller enqueues one to warm up
            raise RuntimeError(f"{self._system.name} stored {stored} of {answer['jobs'] + callers} jobs")
        self._add(f"single_enqueue_{callers}", "jobs/s", answer["jobs"] / answer["seconds"])

    def _add(self, figure: str, unit: str, value: float) -> None:
        self._results.add(self._system.name, self._system.version(), figure, unit, value)
