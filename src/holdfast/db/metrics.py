"""Figures from outside."""

import json
from collections.abc import Mapping

from holdfast.db.read_rows import read_all
from holdfast.db.statement import Executor, run
from holdfast.model.reported_metric import ReportedMetric

REPORT = "select holdfast.report_metric($1::text, $2::double precision, $3::jsonb)"
REPORTED = """
select name, labels, value, reported_at from holdfast.reported_metric_view order by name, labels limit $1
"""


async def report_metric(
    on: Executor, name: str, value: float, labels: Mapping[str, str] | None = None
) -> None:
    await run(on, REPORT, name, value, json.dumps(dict(labels or {})))


async def reported_metrics(on: Executor, limit: int = 1000) -> list[ReportedMetric]:
    """The latest value of each, by name."""
    return await read_all(on, ReportedMetric, REPORTED, limit)
