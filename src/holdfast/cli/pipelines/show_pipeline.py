"""`holdfast pipelines show`."""

from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json, PipelineName
from holdfast.cli.frame.render import counts, facts, print_json, print_table
from holdfast.cli.frame.session import with_database
from holdfast.db import pipelines, queues
from holdfast.db.connect import Database
from holdfast.model.error import NotFound
from holdfast.model.pipeline import StageDetails
from holdfast.model.queue import QueueSummary

OF_THE_PIPELINE = ("pipeline", "version", "is_newest", "declared_at")


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


def show_pipeline(
    context: typer.Context,
    name: PipelineName,
    version: Annotated[int | None, typer.Option(help="Show this version. By default the newest.")] = None,
    as_json: Json = False,
) -> None:
    """Show the stages of a pipeline.

    Also counts the jobs in the queue of each stage.
    """
    stages, loads = with_database(context, lambda database: _read(database, name, version))
    if as_json:
        shown = [{**_plain(one), "jobs": loads.get(one.queue)} for one in stages]
        print_json({"name": name, "version": stages[0].version, "stages": shown})
        return
    print_table(
        ("stage", "task", "queue", "endpoint", "most", "waiting", "scheduled", "ready", "running"),
        (_row(one, loads.get(one.queue)) for one in stages),
        keep=("stage", "waiting", "scheduled", "ready", "running"),
    )


async def _read(
    database: Database, name: str, version: int | None
) -> tuple[list[StageDetails], dict[str, StageLoad]]:
    every = await pipelines.stages_of(database, name)
    stages = [one for one in every if (one.is_newest if version is None else one.version == version)]
    if not stages:
        what = f"pipeline {name!r}" if version is None else f"version {version} of a pipeline {name!r}"
        raise NotFound(f"There is no {what}.", "'holdfast pipelines list' shows all pipelines")
    found = await queues.named_queues(database, {one.queue for one in stages})
    return stages, {one.name: _load(one) for one in found}


def _load(queue: QueueSummary) -> StageLoad:
    return StageLoad(*(getattr(queue, one.name) for one in fields(StageLoad)))


def _plain(stage: StageDetails) -> dict[str, object]:
    """Without what is said of the pipeline as a whole."""
    return {name: value for name, value in facts(stage).items() if name not in OF_THE_PIPELINE}


def _row(stage: StageDetails, load: StageLoad | None) -> tuple[object, ...]:
    load = load or StageLoad()
    return (
        stage.stage,
        stage.task,
        stage.queue,
        stage.endpoint,
        stage.max_concurrent,
        *counts(load, ("waiting", "scheduled", "ready", "running"), load.more_than),
    )
