"""The figures of one worker as metrics."""

import time
from collections.abc import Iterable, Mapping
from time import monotonic

from holdfast.model.outcome import Verb
from holdfast.telemetry.prometheus_text import Family, Kind, Sample
from holdfast.worker.metrics.process_gauges import resident_memory
from holdfast.worker.time_box.time_box import TimeBox
from holdfast.worker.verb_times import by_verb
from holdfast.worker.worker_connection import WorkerConnection
from holdfast.worker.worker_state import WorkerState

PREFIX = "holdfast_worker"


def worker_figures(worker: WorkerState) -> list[Family]:
    return [
        *_process(worker),
        *_slots(worker),
        *_attempts(worker),
        *_connections(worker),
        *_time_box(worker.options.box),
    ]


def _process(worker: WorkerState) -> list[Family]:
    about = {
        "worker": str(worker.me),
        "group": worker.options.group or "",
        "version": worker.app.version or "",
    }
    memory = resident_memory()
    return [
        gauge("info", "The worker that serves these figures.", 1, about),
        Family(
            f"{PREFIX}_resident_memory_bytes",
            "Memory of the process that is in RAM; only on Linux.",
            Kind.GAUGE,
            [] if memory is None else [Sample(memory)],
        ),
        counter("cpu_seconds", "CPU time of the process, user and system.", time.process_time()),
        gauge(
            "event_loop_lag_seconds",
            "Longest delay of the event loop in the last ten seconds.",
            worker.watch.lag,
        ),
    ]


def _slots(worker: WorkerState) -> list[Family]:
    return [
        gauge("slots", "How many jobs the worker runs at the same time.", worker.slots.total),
        gauge("slots_busy", "Slots in which a job runs now.", len(worker.slots.running)),
        gauge("ends_unsent", "Ends of jobs that wait to be sent to the database.", len(worker.outbox)),
    ]


def _attempts(worker: WorkerState) -> list[Family]:
    report = worker.report
    return [
        counters("attempts", "Attempts that ended, by what became of them.", "end", _words(report.by_verb())),
        counter("lost_ends", "Ends that changed nothing, because another worker had the job.", report.lost),
        gauge("attempts_per_second", "Attempts that ended per second, over the last ten.", worker.watch.rate),
    ]


def _words(ends: Mapping[Verb, int]) -> dict[str, float]:
    return {str(verb): number for verb, number in ends.items()}


def _connections(worker: WorkerState) -> list[Family]:
    own = (worker.main, worker.side, worker.lease.connection)
    open_now = {one.name: float(one.is_open) for one in own} | {"app": float(worker.app.database.size)}
    times = _verb_times(own)
    return [
        gauges("connections", "Open connections to the database; app: the pool of handlers.", open_now),
        counters(
            "sql_calls",
            "Answered statements of the worker's own connections, by SQL verb.",
            "verb",
            {verb: calls for verb, (calls, _) in times.items()},
        ),
        counters(
            "sql_seconds",
            "Time until these statements were answered.",
            "verb",
            {verb: seconds for verb, (_, seconds) in times.items()},
        ),
    ]


def _verb_times(connections: Iterable[WorkerConnection]) -> dict[str, tuple[int, float]]:
    sums: dict[str, tuple[int, float]] = {}
    for connection in connections:
        for verb, (calls, seconds) in by_verb(connection.times).items():
            before = sums.get(verb, (0, 0.0))
            sums[verb] = before[0] + calls, before[1] + seconds
    return dict(sorted(sums.items()))


def _time_box(box: TimeBox | None) -> list[Family]:
    if box is None:
        return []
    left = max(0.0, box.ends_at - monotonic())
    return [
        gauge(
            "time_box_used_seconds",
            "How much of its time box is over, if it has one.",
            monotonic() - box.began,
        ),
        gauge("time_box_left_seconds", "How much of its time box is left.", left),
    ]


def gauge(name: str, about: str, value: float, labels: Mapping[str, str] | None = None) -> Family:
    return Family(f"{PREFIX}_{name}", about, Kind.GAUGE, [Sample(value, labels or {})])


def gauges(name: str, about: str, values: Mapping[str, float]) -> Family:
    samples = [Sample(value, {"connection": key}) for key, value in values.items()]
    return Family(f"{PREFIX}_{name}", about, Kind.GAUGE, samples)


def counter(name: str, about: str, value: float) -> Family:
    return Family(f"{PREFIX}_{name}_total", about, Kind.COUNTER, [Sample(value)])


def counters(name: str, about: str, label: str, values: Mapping[str, float]) -> Family:
    samples = [Sample(value, {label: key}) for key, value in values.items()]
    return Family(f"{PREFIX}_{name}_total", about, Kind.COUNTER, samples)
