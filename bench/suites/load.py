"""load: claim sizes, depths and numbers of workers, while one worker is killed and statistics are read."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from statistics import median
from threading import Event, Thread

import psycopg

from bench.result import OURS, Results
from bench.server import shown_settings, watching
from bench.stores import Stores, stores
from bench.system import SystemFailed, Workers, ours, until_ready

CLAIM_SIZES = (1, 10, 100, 500)
DEPTHS = (10_000, 100_000)  # many times what all workers hold, or the kill would hit an idle one
WORKERS = (1, 2)
LEASE_SECONDS = 2
MOST_OF_THEM = 0.9  # the last ones may wait for the killed worker's lease
READ = ("select * from holdfast.queue_view", "select * from holdfast.end_stats('1 hour')")
DONE = "select count(*), count(distinct id) from holdfast.history where state = 'completed'"
ENDED = "select count(*) from holdfast.history"
# How many jobs each worker holds, the busiest first.
HELD = """
select w.pid, count(*)
from holdfast.workers as w
join holdfast.jobs as j on j.worker_id = w.id and j.state = 'running'
where w.pid = any(%s::int[])
group by w.pid
order by count(*) desc
limit 1
"""
NTH = "select extract(epoch from ended_at)::float8 from holdfast.history order by ended_at offset %s limit 1"


def load(results: Results, runs: int, scale: float) -> None:
    with stores() as places:
        results.settings |= shown_settings(places.postgres) | {"lease": f"{LEASE_SECONDS} s"}
        for run in range(runs):
            for size, depth, workers in product(CLAIM_SIZES, DEPTHS, WORKERS):
                print(f"bench: load, run {run + 1}, {size} × {depth} × {workers} …", file=sys.stderr)
                _round(results, places, size, int(depth * scale), workers, f"{size}_{depth}_{workers}")


def _round(results: Results, places: Stores, size: int, depth: int, workers: int, name: str) -> None:
    """One worker more than named, which is killed on the way."""
    system, version = ours(), ours().version()
    env = {"BENCH_SLOTS": str(2 * size), "BENCH_LEASE": str(LEASE_SECONDS)}
    with places.fresh(system) as url, psycopg.connect(watching(url), autocommit=True) as connection:
        system.call("bulk", url, depth)
        with (
            system.start("watch", watching(url), depth) as watch,
            Workers(system, url, workers + 1, env) as crew,
            _reader(watching(url)) as reads,
        ):
            until_ready(watch)
            began = time.time()
            crew.go()
            _until_ended(connection, crew, depth / 3)
            held = _kill_the_busiest(connection, crew)
            killed = time.time()
            last = crew.until(watch)["last"]
            crew.stop()
        done, distinct = _one(connection, DONE)
        if (done, distinct) != (depth, depth):
            raise SystemFailed(OURS, f"{done} ends of {distinct} jobs were recorded, {depth} were enqueued")
        most = _one(connection, NTH, int(MOST_OF_THEM * depth) - 1)[0]
    results.add(OURS, version, f"rate_{name}", "jobs/s", MOST_OF_THEM * depth / (most - began))
    results.add(OURS, version, f"held_at_kill_{name}", "jobs", held)
    results.add(OURS, version, f"after_kill_{name}", "s", max(0.0, last - killed))
    results.add(OURS, version, f"statistics_{name}", "ms", 1000 * median(reads))


def _until_ended(connection: "psycopg.Connection[tuple[float, ...]]", crew: Workers, jobs: float) -> None:
    """The more there are, the longer counting takes, and the more seldom it is done."""
    while _one(connection, ENDED)[0] < jobs:
        crew.check()
        time.sleep(jobs / 200_000)


def _kill_the_busiest(connection: "psycopg.Connection[tuple[float, ...]]", crew: Workers) -> float:
    """How many jobs it held: counted when it is dead, since until then it may end some and claim others."""
    pids = [process.pid for process in crew.processes]
    busiest = connection.execute(HELD.encode(), [pids]).fetchone()
    victim = int(busiest[0]) if busiest else pids[0]
    crew.kill_one(victim)
    held = connection.execute(HELD.encode(), [[victim]]).fetchone()
    return held[1] if held else 0


@contextmanager
def _reader(url: str) -> Iterator[list[float]]:
    """Reads statistics ten times a second; gives how long each reading took."""
    took: list[float] = []
    stop = Event()

    def read() -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            while not stop.wait(0.1) or not took:
                began = time.perf_counter()
                for query in READ:
                    connection.execute(query).fetchall()
                took.append(time.perf_counter() - began)

    thread = Thread(target=read)
    thread.start()
    try:
        yield took
    finally:
        stop.set()
        thread.join()


def _one(
    connection: "psycopg.Connection[tuple[float, ...]]", query: str, *values: float
) -> tuple[float, ...]:
    row = connection.execute(query.encode(), values or None).fetchone()
    assert row is not None
    return row
