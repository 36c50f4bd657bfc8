"""The ends of a period for an overview: over time, and by queue."""

from dataclasses import dataclass
from datetime import datetime

from holdfast.client.report import parts
from holdfast.client.report.period import choose_period
from holdfast.db import report
from holdfast.db.report import EndRow
from holdfast.db.statement import Executor
from holdfast.model.duration import Duration
from holdfast.model.report import NO_ENDS, Ends, Period, Retries, Slice


@dataclass(frozen=True, slots=True)
class PeriodFigures:
    """`queues`: the ends of each queue, the most jobs first."""

    period: Period
    ended: Ends
    timeline: list[Slice]
    queues: dict[str, Ends]
    retries: Retries


async def read_period(on: Executor, since: Duration, now: datetime) -> PeriodFigures:
    period = choose_period(since, now)
    rows = await report.end_report(on, period)
    ended = _by(rows, "all").get("", NO_ENDS)
    return PeriodFigures(period, ended, parts.slices(period, rows), _by(rows, "queue"), parts.retries(ended))


def _by(rows: list[EndRow], what: str) -> dict[str, Ends]:
    return {row.name: row.ends for row in rows if row.by_what == what}
