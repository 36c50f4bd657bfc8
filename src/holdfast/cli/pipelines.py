"""`holdfast pipelines`."""

from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Annotated

import typer

from holdfast.cli.options import After, Json, Limit, actor
from holdfast.cli.output import say, say_if_cut, tell
from holdfast.cli.render import ago, counts, print_json, print_table
from holdfast.cli.session import with_database
from holdfast.db import pipelines, queues
from holdfast.db.connect import Database
from holdfast.model.error import InvalidOption, NotFound
from holdfast.model.journey import StageDetails
from holdfast.model.queue import QueueSummary

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
Name = Annotated[str, typer.Argument(help="The pipeline's name.")]
FromVersion = Annotated[int, typer.Option("--from", help="The version that the jobs are on.")]
ToVersion = Annotated[int, typer.Option("--to", help="The version that they are to go on with.")]


@dataclass(frozen=True, slots=True)
class PipelineVersion:
    name: str
    version: int
    is_newest: bool
    stages: list[str]
    declared_at: datetime


@dataclass(frozen=True, slots=True)
class StageLoad:
    """How many jobs stand in a stage's queue."""

    waiting: int
    scheduled: int
    ready: int
    running: int
    more_than: list[str]


def register(root: typer.Typer, name: str, text: str) -> None:
    root.add_typer(app, name=name, help=text)


@app.command("list")
def list_pipelines(
    context: typer.Context, limit: Limit = 100, after: After = None, as_json: Json = False
) -> None:
    """Pipelines by name, with their versions and stages, newest version first."""
    found = _versions(
        with_database(context, lambda database: pipelines.list_stages(database, limit + 1, after))
    )
    shown = found[:limit]
    if as_json:
        print_json({"pipelines": shown})
        return
    print_table(
        ("name", "version", "stages", "age"),
        ((one.name, one.version, " → ".join(one.stages), ago(one.declared_at)) for one in shown),
        keep=("name", "version", "age"),
    )
    say_if_cut(found, shown)


@app.command("show")
def show_pipeline(
    context: typer.Context,
    name: Name,
    version: Annotated[int | None, typer.Option(help="The newest unless given.")] = None,
    as_json: Json = False,
) -> None:
    """The stages of a pipeline in order, and the jobs in their queues."""
    stages, loads = with_database(context, lambda database: _read(database, name, version))
    if as_json:
        shown = [{**_plain(one), "jobs": loads.get(one.queue)} for one in stages]
        print_json({"name": name, "version": stages[0].version, "stages": shown})
        return
    print_table(
        (
            "stage",
            "task",
            "queue",
            "endpoint",
            "most",
            "waiting",
            "scheduled",
            "ready",
            "running",
        ),
        (_row(one, loads.get(one.queue)) for one in stages),
        keep=("stage", "waiting", "scheduled", "ready", "running"),
    )


@app.command("move")
def move_pipeline(
    context: typer.Context, name: Name, old: FromVersion, new: ToVersion, as_json: Json = False
) -> None:
    """Let live jobs of one version go on with another; those at a stage that it lacks stay."""
    if old == new:
        raise InvalidOption("Both versions are the same.", "holdfast pipelines list shows those there are")
    moved, stay = with_database(context, lambda database: _move(database, name, old, new))
    if as_json:
        print_json({"name": name, "from": old, "to": new, "moved": moved, "stay": stay})
    else:
        tell(f"moved: {moved} jobs of {name} from version {old} to {new}")
    if stay:
        say(f"note: {stay} jobs stay: version {new} lacks their stage, or somebody holds them")


async def _move(database: Database, name: str, old: int, new: int) -> tuple[int, int]:
    total = 0
    while True:
        moved, stay = await pipelines.move_pipeline(database, name, old, new, actor())
        total += moved
        if not moved:
            return total, stay


async def _read(
    database: Database, name: str, version: int | None
) -> tuple[list[StageDetails], dict[str, StageLoad]]:
    every = await pipelines.stages_of(database, name)
    stages = [one for one in every if (one.is_newest if version is None else one.version == version)]
    if not stages:
        what = f"pipeline {name!r}" if version is None else f"version {version} of a pipeline {name!r}"
        raise NotFound(f"There is no {what}.", "holdfast pipelines list shows those there are")
    found = await queues.named_queues(database, {one.queue for one in stages})
    return stages, {one.name: _load(one) for one in found}


def _load(queue: QueueSummary) -> StageLoad:
    return StageLoad(queue.waiting, queue.scheduled, queue.ready, queue.running, queue.more_than)


def _versions(stages: list[StageDetails]) -> list[PipelineVersion]:
    found = []
    for (name, version), group in groupby(stages, lambda one: (one.pipeline, one.version)):
        members = list(group)
        first = members[0]
        names = [one.stage for one in members]
        found.append(PipelineVersion(name, version, first.is_newest, names, first.declared_at))
    return found


def _plain(stage: StageDetails) -> dict[str, object]:
    """Without what is said of the pipeline as a whole."""
    return {
        "stage": stage.stage,
        "place": stage.place,
        "task": stage.task,
        "queue": stage.queue,
        "endpoint": stage.endpoint,
        "group": stage.group,
        "timeout": stage.timeout,
        "max_visits": stage.max_visits,
        "on_reject": stage.on_reject,
        "retry": stage.retry,
        "max_concurrent": stage.max_concurrent,
    }


def _row(stage: StageDetails, load: StageLoad | None) -> tuple[object, ...]:
    load = load or StageLoad(0, 0, 0, 0, [])
    return (
        stage.stage,
        stage.task,
        stage.queue,
        stage.endpoint,
        stage.max_concurrent,
        *counts(load, ("waiting", "scheduled", "ready", "running"), load.more_than),
    )
