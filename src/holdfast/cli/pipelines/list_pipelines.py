"""`holdfast pipelines list`."""

from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

import typer

from holdfast.cli.frame.common_options import After, Json, Limit
from holdfast.cli.frame.render import Columns, ago, print_list
from holdfast.cli.frame.session import with_database
from holdfast.db import pipelines
from holdfast.model.pipeline import StageDetails


@dataclass(frozen=True, slots=True)
class PipelineVersion:
    name: str
    version: int
    is_newest: bool
    stages: list[str]
    declared_at: datetime


COLUMNS: Columns[PipelineVersion] = {
    "name": lambda one: one.name,
    "version": lambda one: one.version,
    "stages": lambda one: " → ".join(one.stages),
    "age": lambda one: ago(one.declared_at),
}


def list_pipelines(
    context: typer.Context, limit: Limit = 100, after: After = None, as_json: Json = False
) -> None:
    """List pipelines by name, with their versions and stages."""
    stages = with_database(context, lambda database: pipelines.list_stages(database, limit + 1, after))
    print_list(as_json, "pipelines", _versions(stages), COLUMNS, ("name", "version", "age"), limit)


def _versions(stages: list[StageDetails]) -> list[PipelineVersion]:
    found = []
    for (name, version), group in groupby(stages, lambda one: (one.pipeline, one.version)):
        members = list(group)
        first = members[0]
        names = [one.stage for one in members]
        found.append(PipelineVersion(name, version, first.is_newest, names, first.declared_at))
    return found
