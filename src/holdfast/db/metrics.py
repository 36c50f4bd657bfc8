"""Figures from outside."""

import json
from collections.abc import Mapping
from datetime import timedelta

from holdfast.db.read_rows import read_all
from holdfast.db.statement import Executor, run
from holdfast.model.reported_metric import ReportedMetric, ReportedValue

REPORT = "select holdfast.report_metric($1::text, $2::double precision, $3::jsonb)"
REPORTED = """
select name, labels, value, reported_at from holdfast.reported_metric_view order by name, labels limit $1
"""
HISTORY = "select minute, labels, value from holdfast.metric_history($1::text, $2::interval, $3::integer)"


async def report_metric(
    on: Executor, name: str, value: float, labels: Mapping[str, str] | None = None
) -> None:
    await run(on, REPORT, name, value, json.dumps(dict(labels or {})))


async def reported_metrics(on: Executor, limit: int = 1000) -> list[ReportedMetric]:
    """The latest value of each, by name."""
    return await read_all(on, ReportedMetric, REPORTED, limit)


async def metric_history(
    on: Executor, name: str, since: timedelta, limit: int = 10_000
) -> list[ReportedValue]:
    """The last value of each minute and set of labels, the oldest first."""
    return await read_all(on, ReportedValue, HISTORY, name, since, limit)
