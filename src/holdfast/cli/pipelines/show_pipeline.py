"""`holdfast pipelines show`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json, PipelineName
from holdfast.cli.frame.render import counts, print_json, print_table
from holdfast.cli.frame.session import with_database
from holdfast.client.pipeline_board import StageLoad, read_board
from holdfast.model.pipeline import StageDetails


def show_pipeline(
    context: typer.Context,
    name: PipelineName,
    version: Annotated[int | None, typer.Option(help="Show this version. By default the newest.")] = None,
    as_json: Json = False,
) -> None:
    """Show the stages of a pipeline.

    Also counts the jobs in the queue of each stage.
    """
    board = with_database(context, lambda database: read_board(database, name, version))
    if as_json:
        print_json(board.document())
        return
    print_table(
        ("stage", "task", "queue", "endpoint", "most", "waiting", "scheduled", "ready", "running"),
        (_row(one, board.loads.get(one.queue)) for one in board.stages),
        keep=("stage", "waiting", "scheduled", "ready", "running"),
    )


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
