"""All figures of the database for its metrics. No statement counts history or scans jobs."""

from holdfast.db.read_rows import read_all
from holdfast.db.statement import Fetcher
from holdfast.model.figures import (
    EndpointFigures,
    Figures,
    MaintenanceSuccess,
    OpenLetters,
    QueueDepth,
    ReportedFigure,
    RunBudget,
    StatTotal,
    WorkerCount,
)

# More than these are not read: each bounds what a reading costs, far above the usual limit of series.
QUEUES = 1000
TOTALS = 100_000
ENDPOINTS = 1000
GROUPS = 1000
REPORTED = 5000

DEPTHS = """
select
  queue, is_paused, waiting, scheduled, ready, running,
  greatest(0, extract(epoch from holdfast.now() - oldest_ready))::double precision,
  extract(epoch from holdfast.now() - sampled_at)::double precision
from holdfast.queue_depths($1::integer)
"""
STAT_TOTALS = """
select
  what, queue, task, pipeline, stage, state, name, jobs, retried, retries, tries, units, cost, wait_seconds,
  run_seconds, wait_tens, run_tens
from holdfast.stat_totals()
limit $1
"""
OPEN_LETTERS = "select queue, letters from holdfast.open_letters($1::integer)"
ENDPOINT_FIGURES = """
select
  e.name, e.limit, e.in_flight, e.circuit, e.budget_per_day - e.spent_today,
  t.started, t.ok, t.failed, t.limited, t.other, t.units, t.seconds, t.cost
from holdfast.endpoint_view as e
join holdfast.endpoint_total_view as t on t.name = e.name
order by t.started desc
limit $1
"""
BUDGETS = """
select run, name, budget - spent, max_units - used_units from holdfast.budgets_left()
"""
WORKERS = """
select "group", state, count(*), sum(slots), sum(running)
from holdfast.worker_view
group by 1, 2
order by 3 desc
limit $1
"""
MAINTENANCE = """
select name, extract(epoch from succeeded_at)::double precision from holdfast.maintenance_view
"""
REPORTED_FIGURES = """
select name, labels, value, extract(epoch from holdfast.now() - reported_at)::double precision
from holdfast.reported_metric_view
order by name
limit $1
"""


async def read_depths(on: Fetcher) -> list[QueueDepth]:
    return await read_all(on, QueueDepth, DEPTHS, QUEUES)


async def read_figures(on: Fetcher) -> Figures:
    return Figures(
        queues=await read_depths(on),
        totals=await read_all(on, StatTotal, STAT_TOTALS, TOTALS),
        letters=await read_all(on, OpenLetters, OPEN_LETTERS, QUEUES),
        endpoints=await read_all(on, EndpointFigures, ENDPOINT_FIGURES, ENDPOINTS),
        budgets=await read_all(on, RunBudget, BUDGETS),
        workers=await read_all(on, WorkerCount, WORKERS, GROUPS),
        maintenance=await read_all(on, MaintenanceSuccess, MAINTENANCE),
        reported=await read_all(on, ReportedFigure, REPORTED_FIGURES, REPORTED),
    )
