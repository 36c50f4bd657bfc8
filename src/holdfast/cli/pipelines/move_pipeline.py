"""`holdfast pipelines move`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json, PipelineName, actor
from holdfast.cli.frame.output import say, tell
from holdfast.cli.frame.render import print_json
from holdfast.cli.frame.session import with_database
from holdfast.db import pipelines
from holdfast.db.connect import Database
from holdfast.model.error import InvalidOption
from holdfast.model.human_readable import counted

FromVersion = Annotated[int, typer.Option("--from", help="Move jobs that use this version.")]
ToVersion = Annotated[int, typer.Option("--to", help="Move the jobs to this version.")]


def move_pipeline(
    context: typer.Context, name: PipelineName, old: FromVersion, new: ToVersion, as_json: Json = False
) -> None:
    """Move jobs of a pipeline to another version.

    A job stays if the other version lacks the stage that the job is at.
    """
    if old == new:
        raise InvalidOption(
            "--from and --to are the same version.", "'holdfast pipelines list' shows the versions"
        )
    moved, stay = with_database(context, lambda database: _move(database, name, old, new))
    if as_json:
        print_json({"name": name, "from": old, "to": new, "moved": moved, "stay": stay})
    else:
        tell(f"moved: {counted(moved, 'job')} of {name} from version {old} to {new}")
    if stay:
        job = counted(stay, "job")
        say(f"note: {job} could not be moved: version {new} lacks the stage, or the row was locked")


async def _move(database: Database, name: str, old: int, new: int) -> tuple[int, int]:
    total = 0
    while True:
        moved, stay = await pipelines.move_pipeline(database, name, old, new, actor())
        total += moved
        if not moved:
            return total, stay
