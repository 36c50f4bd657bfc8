"""peers: ours and the others on the same server in the same run, from the first enqueue to idle memory."""

import sys
import time
from collections.abc import Callable, Mapping
from statistics import quantiles

import psutil

from bench.drained import drain
from bench.left_out import leave_out
from bench.meter import Meter
from bench.peers.environment import OTHER_PEERS, POSTGRES_PEERS
from bench.result import Results
from bench.server import shown_settings, watching
from bench.stores import Stores, stores
from bench.system import Store, System, SystemFailed, Workers, ours

SINGLE_ROUNDS = 5  # one caller's figure is the closest of all
PICKUPS, PICKUP_EVERY_MS = 300, 20
SETTLED_SECONDS = 10.0  # from its start until a worker polls as seldom as it will
IDLE_SECONDS = 20.0  # our own seldom maintenance tasks come every ten


def peers(
    results: Results, runs: int, jobs: int, seconds: float, redis: bool, only: list[str] | None
) -> None:
    """`seconds`: how long the callers of single enqueues go on; `only`: these peers and no others."""
    chosen = [*POSTGRES_PEERS, *(OTHER_PEERS if redis else ())]
    systems = [ours(), *(peer.system() for peer in chosen if not only or peer.name in only)]
    with stores(redis) as places:
        results.settings |= shown_settings(places.postgres)
        results.settings |= {"jobs": str(jobs), "seconds of single enqueues": f"{seconds:g}"}
        measured = [_Measured(results, places, system, jobs, seconds) for system in systems]
        for run in range(runs):
            _round(measured, f"run {run + 1}", FIGURES)
        for run in range(runs, SINGLE_ROUNDS if runs > 1 else runs):
            _round(measured, f"run {run + 1}", {"single_enqueue_1": FIGURES["single_enqueue_1"]})


def _round(measured: "list[_Measured]", run: str, figures: "Mapping[str, Measure]") -> None:
    """Figure by figure over all systems, so that those that are compared are neighbours in time."""
    for name, measure in figures.items():
        for one in list(measured):
            print(f"bench: peers, {run}, {name}, {one.system.name} …", file=sys.stderr)
            try:
                measure(one)
            except SystemFailed as failed:
                leave_out(one.results, failed, name)
                measured.remove(one)


class _Measured:
    """One system, and how each of its figures is taken."""

    def __init__(self, results: Results, places: Stores, system: System, jobs: int, seconds: float) -> None:
        self.results = results
        self.system = system
        self._places = places
        self._jobs = jobs
        self._seconds = seconds

    def drain(self, workers: int) -> None:
        with self._places.fresh(self.system) as url:
            bulk = self.system.call("bulk", url, self._jobs)["seconds"]
            drained = drain(self.system, url, self._jobs, workers)
        self._add(f"drain_{workers}", "jobs/s", self._jobs / drained.seconds)
        if workers > 1:
            return
        self._add("bulk_enqueue", "jobs/s", self._jobs / bulk)
        if drained.usage:
            self._add("statements_per_job", "statements", drained.usage.statements / self._jobs)
            self._add("wal_bytes_per_job", "bytes", drained.usage.wal / self._jobs)
            self._add("buffers_per_job", "buffers", drained.usage.buffers / self._jobs)

    def idle(self) -> None:
        """An idle worker: what it takes and asks, and how soon it has a job that comes."""
        with self._places.fresh(self.system) as url, Workers(self.system, url) as crew:
            crew.go()
            time.sleep(SETTLED_SECONDS)
            self._rest(crew, url)
            self.system.call("trickle", url, PICKUPS, PICKUP_EVERY_MS)
            watched = watching(url) if self.system.store is Store.POSTGRES else url
            crew.until(self.system.start("watch", watched, PICKUPS))
            (report,) = crew.stop()
        cuts = quantiles((1000 * latency for latency in report["latencies"]), n=100, method="inclusive")
        for percent in (50, 95, 99):
            self._add(f"pickup_p{percent}", "ms", cuts[percent - 1])

    def _rest(self, crew: Workers, url: str) -> None:
        if self.system.store is Store.POSTGRES:
            meter = Meter(url)
            meter.start()
            time.sleep(IDLE_SECONDS)
            self._add("idle_statements_per_s", "statements/s", meter.read().statements / IDLE_SECONDS)
        process = psutil.Process(crew.processes[0].pid)
        family = [process, *process.children(recursive=True)]
        self._add("rss_mb", "MB", sum(one.memory_info().rss for one in family) / 1e6)

    def single(self, callers: int) -> None:
        with self._places.fresh(self.system) as url:
            answer = self.system.call("single", url, self._seconds, callers)
            stored = self.system.call("count", url)["left"]
        if stored != answer["jobs"] + callers:  # each caller enqueues one to warm up
            raise SystemFailed(self.system.name, f"stored {stored} of {answer['jobs'] + callers} jobs")
        self._add(f"single_enqueue_{callers}", "jobs/s", answer["jobs"] / answer["seconds"])

    def imports(self) -> None:
        self._add("import_s", "s", self.system.import_seconds())

    def _add(self, figure: str, unit: str, value: float) -> None:
        self.results.add(self.system.name, self.system.version(), figure, unit, value)


Measure = Callable[[_Measured], None]
FIGURES: dict[str, Measure] = {
    "drain_1": lambda one: one.drain(1),
    "drain_2": lambda one: one.drain(2),
    "idle": _Measured.idle,
    "single_enqueue_1": lambda one: one.single(1),
    "single_enqueue_8": lambda one: one.single(8),
    "single_enqueue_64": lambda one: one.single(64),
    "import_s": _Measured.imports,
}
