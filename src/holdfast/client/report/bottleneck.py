"""The pipelines of a report, each with the stage that holds the others up."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from holdfast.client.report.facts import Facts
from holdfast.client.report.late_queue import endpoint_cause, limit_of
from holdfast.client.report.parts import age
from holdfast.db.report import EndRow
from holdfast.model.endpoint import EndpointSummary
from holdfast.model.pipeline import StageDetails
from holdfast.model.queue import QueueSummary
from holdfast.model.report import NO_ENDS, Bottleneck, Ends, Part, PipelineReport, StageReport
from holdfast.model.worker_need import TARGET
from holdfast.report.words import duration

PIPELINES = 10


@dataclass(frozen=True, slots=True)
class StageFacts:
    """What the verdict on a pipeline needs: the ends of its stages by pipeline and stage, its queues and
    endpoints by name, and the queues that a live worker takes.
    """

    now: datetime
    ends: Mapping[tuple[str, str], Ends]
    queues: Mapping[str, QueueSummary]
    endpoints: Mapping[str, EndpointSummary]
    served: Collection[str]


def pipelines(facts: Facts) -> Part[PipelineReport]:
    served = {queue for worker in facts.workers for queue in worker.queues}
    known = StageFacts(facts.now, ends_by_stage(facts.ends), facts.queues, facts.endpoints, served)
    newest = [stage for stage in facts.stages if stage.is_newest]
    items = [pipeline_report(known, list(stages)) for _, stages in groupby(newest, lambda one: one.pipeline)]
    return Part(items[:PIPELINES], max(0, len(items) - PIPELINES))


def ends_by_stage(rows: Iterable[EndRow]) -> dict[tuple[str, str], Ends]:
    return {(row.pipeline, row.name): row.ends for row in rows if row.by_what == "stage"}


def pipeline_report(facts: StageFacts, stages: Sequence[StageDetails]) -> PipelineReport:
    """`stages`: those of one version, in order."""
    reports = [_stage(facts, stage) for stage in stages]
    slowest = max(reports, key=_waiting_time)
    found = None
    if _longest_wait(slowest) > TARGET:
        details = stages[reports.index(slowest)]
        found = Bottleneck(slowest.name, [*_evidence(slowest, reports), *_causes(facts, details, slowest)])
    return PipelineReport(stages[0].pipeline, stages[0].version, reports, found)


def _stage(facts: StageFacts, stage: StageDetails) -> StageReport:
    live = facts.queues.get(stage.queue)
    return StageReport(
        name=stage.stage,
        task=stage.task,
        queue=stage.queue,
        endpoint=stage.endpoint,
        ends=facts.ends.get((stage.pipeline, stage.stage), NO_ENDS),
        ready=live.ready if live else 0,
        running=live.running if live else 0,
        more_than=live.more_than if live else [],
        oldest_ready=age(live.oldest_ready if live else None, facts.now),
        sampled_at=live.sampled_at if live else None,
        sampled_ready=live.sampled_ready if live else None,
    )


def _waiting_time(stage: StageReport) -> timedelta:
    """Of all its visits together, as far as it is known; a job that still waits has waited half of the age of
    the oldest one, if they came evenly.
    """
    past = (stage.ends.wait_mean or timedelta(0)) * stage.ends.visits
    return past + (stage.oldest_ready or timedelta(0)) / 2 * stage.ready


def _longest_wait(stage: StageReport) -> timedelta:
    return max(stage.ends.wait_p95 or timedelta(0), stage.oldest_ready or timedelta(0))


def _evidence(stage: StageReport, stages: list[StageReport]) -> list[str]:
    share = _waiting_time(stage) / sum(map(_waiting_time, stages), timedelta(0))
    words = [f"about {100 * share:.0f} % of the time that jobs wait in this pipeline is spent there"]
    if stage.ends.wait_p95 is not None:
        words.append(f"jobs wait {duration(stage.ends.wait_p95)} for it (p95)")
    if stage.ready and stage.oldest_ready is not None:
        more = "more than " if "ready" in stage.more_than else ""
        verb = "is" if stage.ready == 1 else "are"
        words.append(f"{more}{stage.ready:,} {verb} ready now, the oldest for {duration(stage.oldest_ready)}")
    return words


def _causes(facts: StageFacts, details: StageDetails, stage: StageReport) -> list[str]:
    """What keeps its jobs from starting at this moment."""
    queue = facts.queues.get(details.queue)
    endpoint = facts.endpoints.get(details.endpoint or "")
    causes = []
    if queue is not None and queue.paused_at is not None:
        causes.append("its queue is paused")
    if endpoint is not None and (cause := endpoint_cause(limit_of(endpoint))):
        causes.append(cause)
    if details.max_concurrent is not None and stage.running >= details.max_concurrent:
        causes.append(f"at most {details.max_concurrent} of its jobs may run at once")
    if details.queue not in facts.served:
        causes.append("no live worker takes its queue")
    return causes
