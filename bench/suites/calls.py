"""calls: 500 concurrent calls of two seconds in one worker process: what the waiting costs."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles

import psutil

from bench.meter import Meter
from bench.result import OURS, Results
from bench.server import shown_settings, watching
from bench.stores import Stores, stores
from bench.system import HERE, Process, System, Workers, ours, until_ready


def calls(results: Results, runs: int, jobs: int) -> None:
    system = System(OURS, HERE / "peers" / "calls_script.py", Path(sys.executable))
    with stores() as places, _slow_server() as port:
        results.settings |= shown_settings(places.postgres) | {"jobs": str(jobs)}
        for run in range(runs):
            print(f"bench: calls, run {run + 1} …", file=sys.stderr)
            for name, (unit, value) in _round(places, system, port, jobs).items():
                results.add(OURS, ours().version(), name, unit, value)


def _round(places: Stores, system: System, port: str, jobs: int) -> dict[str, tuple[str, float]]:
    env = {"BENCH_PORT": port}
    with places.fresh(system) as url:
        system.call("bulk", url, jobs, env=env)
        with system.start("watch", watching(url), jobs) as watch, Workers(system, url, env=env) as crew:
            until_ready(watch)
            process = psutil.Process(crew.processes[0].pid)
            meter = Meter(url)
            meter.start()
            began, busy = time.time(), sum(process.cpu_times()[:2])
            crew.go()
            peak = _peak_until(watch, crew, process)
            seconds = crew.until(watch)["last"] - began
            busy = sum(process.cpu_times()[:2]) - busy
            renewals = meter.read("%renew_lease%").statements
            (report,) = crew.stop()
    lags = quantiles((1000 * lag for lag in report["lags"]), n=100, method="inclusive")
    return {
        "rate": ("calls/s", jobs / seconds),
        "loop_lag_p50": ("ms", lags[49]),
        "loop_lag_p99": ("ms", lags[98]),
        "loop_lag_max": ("ms", 1000 * max(report["lags"])),
        "peak_rss_mb": ("MB", peak / 1e6),
        "cpu_percent": ("%", 100 * busy / seconds),
        "renewals_per_s": ("renewals/s", renewals / seconds),
    }


def _peak_until(watch: Process, crew: Workers, process: psutil.Process) -> float:
    peak = 0.0
    while watch.poll() is None:
        crew.check()
        peak = max(peak, process.memory_info().rss)
        time.sleep(0.1)
    return peak


@contextmanager
def _slow_server() -> Iterator[str]:
    """Its port; in a process of its own, so that its work is not taken for ours."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.slow_server"], stdout=subprocess.PIPE, text=True, cwd=HERE.parent
    )
    try:
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        if not port:
            raise RuntimeError(f"The slow server ended with exit code {process.wait()}.")
        yield port
    finally:
        process.terminate()
        process.communicate()
