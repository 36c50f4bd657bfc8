"""Endpoints now, and their calls of a period."""

from collections.abc import Sequence
from datetime import datetime

from holdfast.client.report import parts
from holdfast.client.report.period import choose_period
from holdfast.db import report
from holdfast.db.statement import Executor
from holdfast.model.duration import Duration
from holdfast.model.endpoint import EndpointSummary
from holdfast.model.report import EndpointReport, Period


async def read_endpoint_reports(
    on: Executor, found: Sequence[EndpointSummary], since: Duration, now: datetime
) -> tuple[Period, list[EndpointReport]]:
    """Calls are kept by the second for six hours; a longer period has only those."""
    period = choose_period(since, now)
    rows = await report.endpoint_trends(on, [one.name for one in found], period)
    return period, parts.endpoint_reports(list(found), rows, period)
