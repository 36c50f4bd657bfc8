"""api: the same work over HTTP and in SQL, taking turns, and what 500 long polls cost."""

import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from bench.meter import Meter
from bench.older import in_turn
from bench.peers.api_script import API, KEY
from bench.result import OURS, Results
from bench.server import shown_settings
from bench.stores import Stores, stores
from bench.system import HERE, System, SystemFailed, finish, until_ready

SQL = "sql"
CALLERS = 16
WORKERS = 4
POLLS = 500
POLLS_SECONDS = 65  # two polls of each worker and more, so that polls begin again, and its renewals
OPENING = 50  # statements in a second: some polls are not open yet
# So that a limit of the server is not what is measured.
UNLIMITED = {"HOLDFAST_SERVE_RATE": "0"}


@dataclass(frozen=True, slots=True)
class Serving:
    """`environment`: for the script that calls the server."""

    environment: Mapping[str, str]
    process: psutil.Process


def api(
    results: Results,
    runs: int,
    jobs: int,
    seconds: int,
    polls: int = POLLS,
    polls_seconds: int = POLLS_SECONDS,
) -> None:
    script, python = HERE / "peers" / "api_script.py", Path(sys.executable)
    systems = [System(name, script, python, package="holdfast-queue") for name in (OURS, SQL)]
    with stores() as places:
        results.settings |= shown_settings(places.postgres) | {"jobs": str(jobs)}
        for run in range(1, runs + 1):
            for system in in_turn(systems, run):
                print(f"bench: api, run {run}, {system.name} …", file=sys.stderr)
                _round(results, places, system, jobs, seconds)
            print(f"bench: api, run {run}, long polls …", file=sys.stderr)
            _polls(results, places, systems[0], polls, polls_seconds)


def _round(results: Results, places: Stores, system: System, jobs: int, seconds: int) -> None:
    """First the jobs that are there, then single enqueues into the empty queue."""
    with places.fresh(system) as url:
        system.call("bulk", url, jobs)
        with _path(system, url) as environment:
            done = system.call("turns", url, WORKERS, env=environment)
            ended = system.call("count", url)["done"]
            sent = system.call("single", url, seconds, CALLERS, env=environment)
        stored = system.call("count", url)["left"]
    if (done["jobs"], ended) != (jobs, jobs):
        raise SystemFailed(system.name, f"got {done['jobs']} and completed {ended} of {jobs} jobs")
    if stored != sent["jobs"] + CALLERS:  # each of them sends one before the clock runs
        raise SystemFailed(system.name, f"stored {stored} jobs, and said so of {sent['jobs'] + CALLERS}")
    version = system.version()
    results.add(system.name, version, "claim_and_complete_10", "jobs/s", jobs / done["seconds"])
    results.add(system.name, version, f"enqueue_{CALLERS}", "jobs/s", sent["jobs"] / sent["seconds"])


def _polls(results: Results, places: Stores, system: System, count: int, seconds: int) -> None:
    with (
        places.fresh(system) as url,
        serving(system, url) as server,
        system.start("polls", url, count, env=server.environment) as polls,
    ):
        until_ready(polls)
        meter = Meter(url)
        meter.start()
        _until_quiet(meter)
        meter.start()
        peak, end = 0.0, time.monotonic() + seconds
        while time.monotonic() < end:
            if polls.poll() is not None:
                raise polls.failed("ended before its time")
            peak = max(peak, server.process.memory_info().rss)
            time.sleep(0.1)
        statements = meter.read().statements
        finish(polls)  # closes its input
    version = system.version()
    results.add(system.name, version, "long_polls_mb", "MB", peak / 1e6)
    results.add(system.name, version, "long_polls_statements_per_s", "statements/s", statements / seconds)


def _until_quiet(meter: Meter) -> None:
    """Until all polls are open: each begins with statements of its own."""
    seen = -OPENING
    while (now := meter.read().statements) - seen >= OPENING:
        seen = now
        time.sleep(1)


@contextmanager
def _path(system: System, url: str) -> Iterator[Mapping[str, str]]:
    """How the script finds the server, if it is to use one."""
    if system.name == SQL:
        yield {}
        return
    with serving(system, url) as server:
        yield server.environment


@contextmanager
def serving(system: System, url: str) -> Iterator[Serving]:
    """`holdfast serve`, in a process of its own."""
    secret = system.call("key", url)["secret"]
    process = subprocess.Popen(
        [sys.executable, "-m", "holdfast", "--log-level", "warning", "serve", "--port", "0"],
        env={"PATH": "", "HOLDFAST_DATABASE_URL": url, **UNLIMITED},
        stdout=subprocess.PIPE,
        text=True,
        cwd=HERE.parent,
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        if not address:
            raise SystemFailed(system.name, f"`holdfast serve` ended with exit code {process.wait()}")
        yield Serving({API: address, KEY: secret}, psutil.Process(process.pid))
    finally:
        process.terminate()
        process.communicate()
