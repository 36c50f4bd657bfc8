"""Pipelines as they work: which stage holds the others up, where jobs go from each, and how they end."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from holdfast.client.report.bottleneck import StageFacts, ends_by_stage, pipeline_report
from holdfast.client.report.period import choose_period
from holdfast.db import endpoints, pipelines, queues, report, worker_list
from holdfast.db.statement import Executor
from holdfast.model.duration import Duration
from holdfast.model.pipeline import StageDetails, StageMove, Way
from holdfast.model.queue import QueueSummary
from holdfast.model.report import NO_ENDS, Ends, Period, PipelineReport

READ = 1000  # endpoints and workers
WAYS = 12
ENDS = ("completed", "rejected", "dead", "cancelled")


@dataclass(frozen=True, slots=True)
class StageEnds:
    """What left the stages of all pipelines in a period, by pipeline and stage. `is_partial`: there is more
    than was looked at.
    """

    period: Period
    ends: Mapping[tuple[str, str], Ends]
    is_partial: bool

    @property
    def minutes(self) -> float:
        return self.period.length / timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Flow:
    """Jobs that went from a stage to another one, or that ended there, per minute: `to` is a stage, or for an
    `is_end` a state.
    """

    stage: str
    to: str
    per_minute: float
    is_end: bool = False


@dataclass(frozen=True, slots=True)
class LivePipeline:
    """The report on one version, with its stages as declared and the jobs in their queues."""

    report: PipelineReport
    stages: Sequence[StageDetails]
    queues: Mapping[str, QueueSummary]


@dataclass(frozen=True, slots=True)
class Routes:
    """Where jobs went: between stages, and which ways through all of them."""

    moves: Sequence[StageMove]
    ways: Sequence[Way]


async def read_stage_ends(on: Executor, since: Duration, now: datetime) -> StageEnds:
    period = choose_period(since, now)
    rows = await report.end_report(on, period)
    return StageEnds(period, ends_by_stage(rows), any(row.is_partial for row in rows))


async def read_live(
    on: Executor, versions: Sequence[Sequence[StageDetails]], ends: StageEnds, now: datetime
) -> list[LivePipeline]:
    """Each version by its stages, in order."""
    found = await queues.named_queues(on, {one.queue for stages in versions for one in stages})
    known = {one.name: one for one in found}
    workers = await worker_list.list_workers(on, READ, live_only=True)
    facts = StageFacts(
        now,
        ends.ends,
        known,
        {one.name: one for one in await endpoints.list_endpoints(on, READ)},
        {queue for worker in workers for queue in worker.queues},
    )
    return [LivePipeline(pipeline_report(facts, stages), stages, known) for stages in versions]


async def read_routes(on: Executor, pipeline: str, period: Period) -> Routes:
    return Routes(
        await pipelines.stage_moves(on, pipeline, period.length),
        await pipelines.pipeline_ways(on, pipeline, period.length, WAYS),
    )


def flows(stages: Sequence[StageDetails], ends: StageEnds, moves: Sequence[StageMove]) -> list[Flow]:
    """How many jobs left each stage is counted exactly; to which stages they went, by the newest moves."""
    found: list[Flow] = []
    targets: defaultdict[str, dict[str, int]] = defaultdict(dict)
    names = [one.stage for one in stages]
    for move in moves:
        if move.to_stage in names:
            targets[move.from_stage][move.to_stage] = move.moves
    for place, stage in enumerate(stages):
        left = ends.ends.get((stage.pipeline, stage.stage), NO_ENDS)
        following = targets.get(stage.stage) or dict.fromkeys(names[place + 1 : place + 2], 1)
        whole = sum(following.values())
        found += [
            Flow(stage.stage, to, left.advanced * number / whole / ends.minutes)
            for to, number in following.items()
        ]
        found += [
            Flow(stage.stage, state, getattr(left, state) / ends.minutes, is_end=True) for state in ENDS
        ]
    return [one for one in found if one.per_minute]
