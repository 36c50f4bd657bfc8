"""mixed: what the features cost, each alone and all together."""

import sys
from pathlib import Path

from bench.drained import drain
from bench.result import OURS, Results
from bench.server import shown_settings
from bench.stores import stores
from bench.system import HERE, System, ours

FEATURES = {
    "plain": "",
    "queues": "queues",  # 20 of them
    "priorities": "priorities",  # 5
    "unique": "unique",  # a key for each job
    "failures": "failures",  # 5 % fail once and are retried
    "runs": "runs",  # 10, with somebody who looks at the progress
    "all": "queues priorities unique failures runs",
}


def mixed(results: Results, runs: int, jobs: int) -> None:
    system = System(OURS, HERE / "peers" / "mixed_script.py", Path(sys.executable))
    version = ours().version()
    with stores() as places:
        results.settings |= shown_settings(places.postgres) | {"jobs": str(jobs)}
        for run in range(runs):
            for name, features in FEATURES.items():
                print(f"bench: mixed, run {run + 1}, {name} …", file=sys.stderr)
                env = {"BENCH_FEATURES": features}
                with places.fresh(system) as url:
                    bulk = system.call("bulk", url, jobs, env=env)["seconds"]
                    drained = drain(system, url, jobs, 1, env)
                assert drained.usage is not None
                results.add(OURS, version, f"enqueue_{name}", "jobs/s", jobs / bulk)
                results.add(OURS, version, f"drain_{name}", "jobs/s", jobs / drained.seconds)
                results.add(OURS, version, f"wal_{name}", "bytes/job", drained.usage.wal / jobs)
    for kind in ("enqueue", "drain"):
        plain = results.median(OURS, f"{kind}_plain")
        for name in FEATURES:
            share = results.median(OURS, f"{kind}_{name}") / plain
            results.add(OURS, version, f"{kind}_{name}_to_plain", "x", share)
