"""Runs what is due, with a real worker, until nothing is left to do."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from holdfast.client.app import Holdfast
from holdfast.db import maintenance
from holdfast.db.statement import fetch_value

if TYPE_CHECKING:
    from holdfast.worker import WorkerReport

# Waits for the locks of a maintenance task that its worker cancelled: close_runs would skip those runs.
ENDED_RUNS = """
select count(r.ended_at)
from (select ended_at from holdfast.runs order by id for update) as r
"""


async def drain(app: Holdfast, queues: Iterable[str] | None = None) -> "WorkerReport":
    """Works on `queues`, or on all that the app knows, until they hold no job that is due.

    What is due later stays: a test moves the fake clock and drains again, instead of waiting. So do jobs of
    tasks that the app does not have.
    """
    from holdfast.worker import Worker, WorkerReport

    names = sorted(app.queue_names if queues is None else queues)
    total = WorkerReport()
    ended = await fetch_value(app.database, ENDED_RUNS)
    while True:
        report = await Worker(app, queues=names, once=True).run()
        total.processed += report.processed
        total.failed += report.failed
        total.released += report.released
        total.snoozed += report.snoozed
        total.lost += report.lost
        total.unsettled += report.unsettled
        # A run that has ended may have enqueued one more job.
        before, ended = ended, await fetch_value(app.database, ENDED_RUNS)
        ended += await maintenance.close_runs(app.database)
        # Jobs of tasks that the app does not have are put off, and others may stand behind them.
        if not report.handled and not report.unknown and ended == before:
            return total
