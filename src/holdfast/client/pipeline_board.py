"""Pipelines as people see them: their versions, and how many jobs stand at each stage."""

from dataclasses import dataclass, field, fields
from datetime import datetime
from itertools import groupby

from holdfast.db import pipelines, queues
from holdfast.db.statement import Executor
from holdfast.model.error import NotFound
from holdfast.model.json_document import plain
from holdfast.model.pipeline import StageDetails
from holdfast.model.queue import QueueSummary

OF_THE_PIPELINE = ("pipeline", "version", "is_newest", "declared_at")


@dataclass(frozen=True, slots=True)
class PipelineVersion:
    name: str
    version: int
    is_newest: bool
    stages: list[str]
    declared_at: datetime


@dataclass(frozen=True, slots=True)
class StageLoad:
    """How many jobs stand in a stage's queue, and in the newest sample of it."""

    waiting: int = 0
    scheduled: int = 0
    ready: int = 0
    running: int = 0
    more_than: list[str] = field(default_factory=list)
    sampled_at: datetime | None = None
    sampled_waiting: int | None = None
    sampled_scheduled: int | None = None
    sampled_ready: int | None = None
    sampled_running: int | None = None


@dataclass(frozen=True, slots=True)
class PipelineBoard:
    """The stages of one version, and the loads of their queues by name."""

    name: str
    version: int
    stages: list[StageDetails]
    loads: dict[str, StageLoad]

    def document(self) -> dict[str, object]:
        shown = [{**_of_the_stage(one), "jobs": self.loads.get(one.queue)} for one in self.stages]
        return {"name": self.name, "version": self.version, "stages": shown}


async def list_versions(on: Executor, limit: int, after: str | None = None) -> list[PipelineVersion]:
    """By name, the newest version first."""
    found = []
    stages = await pipelines.list_stages(on, limit, after)
    for (name, version), group in groupby(stages, lambda one: (one.pipeline, one.version)):
        members = list(group)
        first, names = members[0], [one.stage for one in members]
        found.append(PipelineVersion(name, version, first.is_newest, names, first.declared_at))
    return found


async def read_board(on: Executor, name: str, version: int | None = None) -> PipelineBoard:
    """Of the newest version unless another is named; raises NotFound."""
    every = await pipelines.stages_of(on, name)
    stages = [one for one in every if (one.is_newest if version is None else one.version == version)]
    if not stages:
        what = f"pipeline {name!r}" if version is None else f"version {version} of a pipeline {name!r}"
        raise NotFound(f"There is no {what}.", "'holdfast pipelines list' shows all pipelines")
    found = await queues.named_queues(on, {one.queue for one in stages})
    return PipelineBoard(name, stages[0].version, stages, {one.name: _load(one) for one in found})


def _load(queue: QueueSummary) -> StageLoad:
    return StageLoad(*(getattr(queue, one.name) for one in fields(StageLoad)))


def _of_the_stage(stage: StageDetails) -> dict[str, object]:
    """Without what is said of the pipeline as a whole."""
    return {name: value for name, value in plain(stage).items() if name not in OF_THE_PIPELINE}
