"""depth: does a job cost more where a million others are ready, or ten million have ended? It must not."""

import sys
import time
from contextlib import ExitStack

import asyncpg

from bench.crowd import fill
from bench.meter import Meter
from bench.peers.script import MOST
from bench.result import OURS, Results
from bench.server import on_connection, shown_settings, watching
from bench.stores import stores
from bench.system import Workers, ours

PAIRS = 5
BASE = 10_000
# Jobs that are ready and jobs that have ended, beside those that are drained. The one whose old pages are
# changed comes last, since a new database begins with a checkpoint.
DEPTHS = {
    "ended_deep": (0, 10_000_000),
    "ended_base": (0, 1_000_000),
    "ready_base": (0, 0),
    "ready_deep": (990_000, 0),
}


def depth(results: Results, runs: int, scale: float) -> None:
    """`scale` makes all numbers smaller, to try the suite itself."""
    jobs = int(BASE * scale)
    with stores() as places, ExitStack() as stack:
        results.settings |= shown_settings(places.postgres) | {"jobs": str(jobs), "scale": f"{scale:g}"}
        urls = {}
        for name, (ready, ended) in DEPTHS.items():
            print(f"bench: depth, making {name} …", file=sys.stderr)
            urls[name] = stack.enter_context(places.fresh(ours()))
            fill(urls[name], int(ready * scale), int(ended * scale))
        for url in urls.values():  # the first change of a page after a checkpoint logs all of it
            _round(Results("depth"), "warm_up", url, jobs)
        for run in range(max(runs, PAIRS) if runs > 1 else 1):
            for name, url in urls.items():
                print(f"bench: depth, run {run + 1}, {name} …", file=sys.stderr)
                _round(results, name, url, jobs)


def _round(results: Results, name: str, url: str, jobs: int) -> None:
    """As many jobs come in as are drained, so that each depth stays what it is."""
    ours().call("bulk", url, jobs)
    meter = Meter(url)
    crew = Workers(ours(), url, env={MOST: str(jobs)})
    try:
        meter.start()
        began = time.time()
        crew.go()
        crew.wait()
    except BaseException:
        crew.kill()
        raise
    usage = meter.read()
    done, last = _ended_since(url, began)
    if done < jobs:
        raise RuntimeError(f"{done} of {jobs} jobs were recorded at {name}")
    version = ours().version()
    results.add(OURS, version, f"{name}_rate", "jobs/s", done / (last - began))
    results.add(OURS, version, f"{name}_buffers", "buffers/job", usage.buffers / done)
    results.add(OURS, version, f"{name}_wal_bytes", "bytes/job", usage.wal_of_statements / done)


def _ended_since(url: str, began: float) -> tuple[int, float]:
    async def ask(connection: "asyncpg.Connection[asyncpg.Record]") -> tuple[int, float]:
        row = await connection.fetchrow(
            "select count(*), extract(epoch from max(ended_at))::float8 from holdfast.history"
            " where ended_at > to_timestamp($1)",
            began,
        )
        assert row is not None
        return row[0], row[1]

    return on_connection(watching(url), ask)
