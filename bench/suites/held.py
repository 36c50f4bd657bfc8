"""held: produce and consume while another session's transaction holds back vacuum, for minutes."""

import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import quantiles

import psycopg

from bench.peers.environment import peer
from bench.peers.script import CLAIMS, COUNTER, open_counter, read_counter
from bench.result import Results
from bench.server import shown_settings, watching
from bench.stores import Stores, stores
from bench.system import Process, System, SystemFailed, Workers, finish, ours

PEERS = ("pgqueuer", "procrastinate")
RATES = {"steady": 3_000, "full": 0}  # jobs a second; 0 is as fast as keeps 1,000 to 10,000 ready
WINDOW = 10


def held(results: Results, runs: int, seconds: int, only: list[str] | None) -> None:
    names = [name for name in PEERS if not only or name in only]
    systems = [ours(), *map(peer, names)]
    with stores() as places:
        results.settings |= shown_settings(places.postgres) | {"seconds": str(seconds)}
        for run in range(runs):
            for mode, rate in RATES.items():
                for system in systems:
                    print(f"bench: held, run {run + 1}, {mode}, {system.name} …", file=sys.stderr)
                    _round(results, places, system, mode, rate, seconds)


def _round(results: Results, places: Stores, system: System, mode: str, rate: int, seconds: int) -> None:
    with places.fresh(system) as url, tempfile.NamedTemporaryFile() as counter:
        counter.write(bytes(8))
        counter.flush()
        with _snapshot(watching(url)):
            samples, claims = _run(system, url, counter.name, rate, seconds)
            dead = _dead_tuples(watching(url))
    window = max(1, min(WINDOW, seconds // 2))
    figures = {
        "first": ("jobs/s", (samples[window] - samples[0]) / window),
        "last": ("jobs/s", (samples[-1] - samples[-1 - window]) / window),
        "dead_tuples": ("rows", dead),
    }
    cuts = quantiles((1000 * claim for claim in claims), n=100, method="inclusive")
    figures |= {"claim_p50": ("ms", cuts[49]), "claim_p99": ("ms", cuts[98])}
    for name, (unit, value) in figures.items():
        results.add(system.name, system.version(), f"{mode}_{name}", unit, value)


@contextmanager
def _snapshot(url: str) -> Iterator[None]:
    """A forgotten transaction of a report: its snapshot keeps every row that dies from now on."""
    with psycopg.connect(url) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute("select count(*) from pg_class")
        yield


def _run(
    system: System, url: str, counter: str, rate: int, seconds: int
) -> tuple[Sequence[int], Sequence[float]]:
    """How many were handled by each second, from the first job on, and how long each claim took."""
    env = {COUNTER: counter, CLAIMS: "1"}
    with Workers(system, url, env=env) as crew:
        crew.go()
        with system.start("produce", url, rate, seconds + 3, env=env) as producer:
            samples = _sample(counter, seconds, crew, producer)
            enqueued = crew.until(producer)["enqueued"]
        (report,) = crew.stop()
    recorded = system.call("count", watching(url))
    if recorded["done"] != report["handled"] or recorded["done"] + recorded["left"] != enqueued:
        raise SystemFailed(
            system.name, f"{enqueued} enqueued, {report['handled']} handled, {recorded} recorded"
        )
    return samples, report["claims"]


def _sample(path: str, seconds: int, crew: Workers, producer: Process) -> list[int]:
    counter = open_counter(path)
    while read_counter(counter) == 0:
        crew.check()
        if producer.poll() is not None:
            raise producer.failed(f"had {finish(producer)}, but no job was handled")
        time.sleep(0.01)
    began = time.perf_counter()
    samples = [read_counter(counter)]
    for second in range(1, seconds + 1):
        time.sleep(max(0.0, began + second - time.perf_counter()))
        crew.check()
        samples.append(read_counter(counter))
    return samples


def _dead_tuples(url: str) -> float:
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute("select sum(n_dead_tup)::float8 from pg_stat_user_tables").fetchone()
        assert row is not None
        return float(row[0])
