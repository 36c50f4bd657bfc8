"""The pipelines of a report, each with the stage that holds the others up."""

from datetime import timedelta
from itertools import groupby

from holdfast.client.report.facts import Facts
from holdfast.client.report.parts import age
from holdfast.model.duration import short
from holdfast.model.endpoint import Circuit
from holdfast.model.pipeline import StageDetails
from holdfast.model.report import Bottleneck, Part, PipelineReport, StageReport
from holdfast.model.worker_need import TARGET

PIPELINES = 10


def pipelines(facts: Facts) -> Part[PipelineReport]:
    newest = [stage for stage in facts.stages if stage.is_newest]
    items = [_pipeline(facts, list(stages)) for _, stages in groupby(newest, key=lambda one: one.pipeline)]
    return Part(items[:PIPELINES], max(0, len(items) - PIPELINES))


def _pipeline(facts: Facts, stages: list[StageDetails]) -> PipelineReport:
    reports = [_stage(facts, stage) for stage in stages]
    slowest = max(reports, key=_waiting_time)
    found = None
    if _longest_wait(slowest) > TARGET:
        details = stages[reports.index(slowest)]
        found = Bottleneck(slowest.name, [*_evidence(slowest, reports), *_causes(facts, details, slowest)])
    return PipelineReport(stages[0].pipeline, stages[0].version, reports, found)


def _stage(facts: Facts, stage: StageDetails) -> StageReport:
    live = facts.queues.get(stage.queue)
    return StageReport(
        name=stage.stage,
        task=stage.task,
        queue=stage.queue,
        endpoint=stage.endpoint,
        ends=facts.ends_of_stage(stage.pipeline, stage.stage),
        ready=live.ready if live else 0,
        running=live.running if live else 0,
        more_than=live.more_than if live else [],
        oldest_ready=age(live.oldest_ready if live else None, facts.now),
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
    words = [f"about {share:.0%} of the time that jobs wait in this pipeline is spent there"]
    if stage.ends.wait_p95 is not None:
        words.append(f"jobs wait {short(stage.ends.wait_p95)} for it (p95)")
    if stage.ready and stage.oldest_ready is not None:
        more = "more than " if "ready" in stage.more_than else ""
        words.append(f"{more}{stage.ready:,} are ready now, the oldest for {short(stage.oldest_ready)}")
    return words


def _causes(facts: Facts, details: StageDetails, stage: StageReport) -> list[str]:
    """What keeps its jobs from starting at this moment."""
    queue = facts.queues.get(details.queue)
    endpoint = facts.endpoints.get(details.endpoint or "")
    causes = []
    if queue is not None and queue.paused_at is not None:
        causes.append("its queue is paused")
    if endpoint is not None and endpoint.circuit is not Circuit.CLOSED:
        causes.append(f"the circuit of its endpoint {endpoint.name} is {endpoint.circuit.replace('_', ' ')}")
    elif endpoint is not None and endpoint.in_flight >= endpoint.limit:
        causes.append(f"its endpoint {endpoint.name} is at its limit of {endpoint.limit}")
    if details.max_concurrent is not None and stage.running >= details.max_concurrent:
        causes.append(f"at most {details.max_concurrent} of its jobs may run at once")
    if not any(details.queue in worker.queues for worker in facts.workers):
        causes.append("no live worker takes its queue")
    return causes
