"""Figures that meet every bar, to be spoilt one by one."""

from bench.result import OLDER, OURS, Results

PEERS = {
    "bulk_enqueue": (100_000, 20_000),
    "single_enqueue_1": (1_500, 1_300),
    "single_enqueue_8": (9_000, 3_000),
    "single_enqueue_64": (40_000, 3_500),
    "drain_1": (30_000, 10_000),
    "drain_2": (40_000, 13_000),
    "pickup_p50": (2.0, 4.0),
    "pickup_p95": (3.0, 9.0),
    "pickup_p99": (5.0, 17.0),
    "statements_per_job": (0.01, 1.5),
    "wal_bytes_per_job": (800, 1_700),
    "buffers_per_job": (20, 30),
    "idle_statements_per_s": (1.0, 3.0),
    "import_s": (0.2, 0.9),
    "rss_mb": (45, 48),
}
UNITS = {
    "pickup_p50": "ms",
    "pickup_p95": "ms",
    "pickup_p99": "ms",
    "statements_per_job": "statements",
    "wal_bytes_per_job": "bytes",
    "buffers_per_job": "buffers",
    "idle_statements_per_s": "statements/s",
    "import_s": "s",
    "rss_mb": "MB",
}  # all others are jobs/s


def peers() -> Results:
    results = Results("peers")
    for name, (ours, theirs) in PEERS.items():
        unit = UNITS.get(name, "jobs/s")
        results.add(OURS, "1", name, unit, ours)
        results.add("pgqueuer", "1", name, unit, theirs)
    results.add("taskiq", "1", "pickup_p50", "ms", 1.8)
    results.add("taskiq", "1", "drain_1", "jobs/s", 1_000_000)  # on Redis: no bar compares with it
    return results


def dashboard() -> Results:
    results = Results("dashboard")
    for path in ("/", "/jobs"):
        results.add(OURS, "1", f"{path} p50", "ms", 60)
        results.add(OURS, "1", f"{path} p95", "ms", 150)
    results.add(OURS, "1", "watchers_1_statements_per_s", "statements/s", 5.0)
    results.add(OURS, "1", "watchers_50_statements_per_s", "statements/s", 5.5)
    return results


def limit() -> Results:
    results = Results("limit")
    for name in ("drain_1", "drain_2"):
        results.add(OURS, "1", name, "jobs/s", 30_000)
        results.add("bare_settle", "", name, "jobs/s", 50_000)
    return results


def depth() -> Results:
    results = Results("depth")
    for place in ("ready_base", "ready_deep", "ended_base", "ended_deep"):
        for run in range(5):
            results.add(OURS, "1", f"{place}_rate", "jobs/s", 10_000 + run)
            results.add(OURS, "1", f"{place}_buffers", "buffers/job", 20)
            results.add(OURS, "1", f"{place}_wal_bytes", "bytes/job", 900)
    return results


def held() -> Results:
    results = Results("held")
    for mode in ("steady", "full"):
        for name, value in {"first": 3_000, "last": 2_990, "claim_p50": 3, "claim_p99": 9}.items():
            results.add(OURS, "1", f"{mode}_{name}", "unit", value)
    return results


def mixed() -> Results:
    results = Results("mixed")
    features = ("plain", "queues", "priorities", "unique", "rules", "failures", "runs", "all")
    for name in features:
        results.add(OURS, "1", f"enqueue_{name}", "jobs/s", 90_000)
        results.add(OURS, "1", f"drain_{name}", "jobs/s", 45_000)
        results.add(OURS, "1", f"wal_{name}", "bytes/job", 800)
    for name in ("bulk_priorities", "bulk_unique", "bulk_priorities_unique"):
        results.add(OURS, "1", name, "jobs/s", 60_000)
        results.add("pgqueuer", "1", name, "jobs/s", 40_000)
        results.add("procrastinate", "1", name, "jobs/s", 10_000)
    return results


def permit() -> Results:
    results = Results("permit")
    for size in (1, 10):
        for kind, worth in {"plain": 10, "endpoint": 15, "alone": 10, "beside": 10.2, "cut_out": 9}.items():
            for unit in ("us", "buffers", "wal_bytes"):
                results.add(OURS, "1", f"{kind}_{size}_{unit}", f"{unit}/job", worth)
    results.add(OURS, "1", "heap_only_calls_of_100_ms", "% of updates", 99.8)
    return results


def pipeline() -> Results:
    results = Results("pipeline")
    results.add(OURS, "1", "drain_plain", "jobs/s", 40_000)
    results.add(OURS, "1", "drain_steps", "jobs/s", 35_000)
    return results


def api() -> Results:
    results = Results("api")
    for name, (ours, sql) in {"claim_and_complete_10": (2_000, 9_000), "enqueue_16": (900, 2_500)}.items():
        results.add(OURS, "1", name, "jobs/s", ours)
        results.add("sql", "1", name, "jobs/s", sql)
    results.add(OURS, "1", "long_polls_mb", "MB", 120)
    results.add(OURS, "1", "long_polls_statements_per_s", "statements/s", 9)
    return results


def against(results: Results) -> Results:
    """The same figures of plain jobs, at an older commit."""
    for name in ("enqueue_plain", "drain_plain", "wal_plain"):
        figure = results.figures[OURS, name]
        results.add(f"{OLDER}abc1234", "", name, figure.unit, figure.median)
    return results


def spoil(results: Results, name: str, value: float) -> Results:
    figure = results.figures[OURS, name]
    figure.runs = [value] * len(figure.runs)
    return results
