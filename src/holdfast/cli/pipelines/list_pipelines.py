"""`holdfast pipelines list`."""

import typer

from holdfast.cli.frame.common_options import After, Json, Limit
from holdfast.cli.frame.render import Columns, ago, print_list
from holdfast.cli.frame.session import with_database
from holdfast.client.pipeline_board import PipelineVersion, list_versions

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
    found = with_database(context, lambda database: list_versions(database, limit + 1, after))
    print_list(as_json, "pipelines", found, COLUMNS, ("name", "version", "age"), limit)
