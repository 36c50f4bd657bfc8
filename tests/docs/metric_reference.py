"""Writes docs/metrics-reference.md: `python -m tests.docs.metric_reference` after a change of a metric."""

from holdfast.client.duration_histogram import EDGES
from holdfast.telemetry.metric_list import METRICS, Metric
from tests.repo.tree import ROOT

PAGE = ROOT / "docs" / "metrics-reference.md"

TOP = f"""# Metrics

<!-- written by python -m tests.docs.metric_reference -->

What `holdfast metrics` prints, in this order. [The guide](guides/prometheus.md) says how to collect it and
what to watch; [metrics.md](metrics.md) lists what a single worker serves. Names begin with `holdfast_`,
durations are seconds, and counters (`_total`) never fall: not by pruning, a restart or a replay. Figures from
outside that `report_metric` stored follow under their own names.

The labels `pipeline` and `stage` are empty for jobs without a pipeline, `group` for workers without one. A
histogram has {len(EDGES) + 1} buckets: 0.001, 0.01 and then two for each power of ten up to 10,000 seconds,
and the rest. A summary has `_sum` and `_count`, and no quantiles.

Where there are more series than `--max-series`, whole sets of labels are left out: level 3 first, then 2 and
1, and within a level the queues and endpoints with the fewest jobs and calls so far.
"""


def page() -> str:
    return f"{TOP}\n{table()}"


def table() -> str:
    lines = (f"| {' | '.join(_row(metric))} |" for metric in METRICS)
    return "\n".join(["| name | type | labels | level | meaning |", "|---|---|---|---|---|", *lines, ""])


def _row(metric: Metric) -> tuple[str, ...]:
    labels = " ".join(f"`{label}`" for label in metric.labels)
    return f"`{metric.name}`", metric.kind, labels, str(metric.level), metric.meaning


if __name__ == "__main__":
    PAGE.write_text(page())
