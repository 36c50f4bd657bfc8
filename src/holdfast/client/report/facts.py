"""What the database says for a report: every list bounded, all of it from one snapshot."""

from dataclasses import dataclass
from datetime import datetime

from holdfast.client.report.late_queue import limit_of
from holdfast.db import endpoints, pipelines, queues, report, stats, worker_list
from holdfast.db.queue_figures import queue_figures
from holdfast.db.report import CallRow, EndRow, SlowRow
from holdfast.db.statement import Executor
from holdfast.model.endpoint import Circuit, EndpointSummary
from holdfast.model.overview import OverviewEndpoint, OverviewQueue
from holdfast.model.pipeline import StageDetails
from holdfast.model.queue import QueueSummary
from holdfast.model.report import NO_ENDS, Ends, Period
from holdfast.model.stats import ErrorPage
from holdfast.model.worker import LeftWorkers, WorkerSummary
from holdfast.model.worker_need import WorkerNeed

READ = 1000  # queues, endpoints and workers; those shown are chosen among them
VERSIONS_READ = 200  # of pipelines
QUEUES = 20
ERRORS = 10
ENDPOINTS = 12
SLOWEST = 10


@dataclass(frozen=True, slots=True)
class Facts:
    """`flows`: how jobs flow through each shown queue now."""

    now: datetime
    period: Period
    ends: list[EndRow]
    errors: ErrorPage
    queues: dict[str, QueueSummary]
    shown_queues: list[str]
    flows: dict[str, OverviewQueue]
    needs: dict[str, WorkerNeed]
    endpoints: dict[str, EndpointSummary]
    shown_endpoints: list[EndpointSummary]
    calls: list[CallRow]
    stages: list[StageDetails]
    slowest: list[SlowRow]
    workers: list[WorkerSummary]
    left: list[LeftWorkers]

    @property
    def limits(self) -> dict[str, OverviewEndpoint]:
        return {name: limit_of(one) for name, one in self.endpoints.items()}

    def ends_by(self, what: str) -> dict[str, Ends]:
        """By name, the most jobs first."""
        return {row.name: row.ends for row in self.ends if row.by_what == what}

    def ends_of(self, what: str) -> Ends:
        return self.ends_by(what).get("", NO_ENDS)


async def read_facts(on: Executor, period: Period, now: datetime) -> Facts:
    ends = await report.end_report(on, period)
    known_queues = {one.name: one for one in await queues.list_queues(on, READ)}
    shown_queues = _busiest(known_queues, ends)
    known_endpoints = {one.name: one for one in await endpoints.list_endpoints(on, READ)}
    shown_endpoints = _foremost(known_endpoints)
    return Facts(
        now=now,
        period=period,
        ends=ends,
        errors=await stats.error_groups(
            on, period.length, limit=ERRORS, slices=period.slices, until=period.until
        ),
        queues=known_queues,
        shown_queues=shown_queues,
        flows={one.name: one for one in await queue_figures(on, shown_queues, with_people=True)},
        needs={one.queue: one for one in await report.worker_needs(on, shown_queues)},
        endpoints=known_endpoints,
        shown_endpoints=shown_endpoints,
        calls=await report.endpoint_trends(on, [one.name for one in shown_endpoints], period),
        stages=await pipelines.list_stages(on, VERSIONS_READ),
        slowest=await report.slowest_jobs(on, period, SLOWEST),
        workers=await worker_list.list_workers(on, READ, live_only=True),
        left=(await worker_list.left_workers(on, period.length))[::-1],  # the newest first
    )


def _busiest(known: dict[str, QueueSummary], ends: list[EndRow]) -> list[str]:
    """The queues with the most jobs, ended in the period or live now."""
    jobs = {name: one.ready + one.running for name, one in known.items()}
    for row in ends:
        if row.by_what == "queue":
            jobs[row.name] = jobs.get(row.name, 0) + row.jobs + row.advanced
    return sorted(jobs, key=lambda name: (-jobs[name], name))[:QUEUES]


def _foremost(known: dict[str, EndpointSummary]) -> list[EndpointSummary]:
    """Those that do not work, then those with the most calls ever."""
    return sorted(known.values(), key=lambda one: (one.circuit is Circuit.CLOSED, -one.starts, one.name))[
        :ENDPOINTS
    ]
