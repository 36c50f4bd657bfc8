"""`holdfast explain`."""

from typing import Annotated

import typer

from holdfast.cli.options import Json, identifier
from holdfast.cli.output import write
from holdfast.cli.render import ago, print_json, print_wrapped
from holdfast.cli.session import with_database
from holdfast.db import stats
from holdfast.model.id import JobId
from holdfast.model.story import Blocker


def register(app: typer.Typer, name: str, text: str) -> None:
    app.command(name, help=text)(explain)


def explain(
    context: typer.Context,
    job: Annotated[str, typer.Argument(metavar="JOB", help="The job's id.")],
    as_json: Json = False,
) -> None:
    """What keeps it from running, first things first, and until when if that is known."""
    job_id = JobId(identifier(job))
    blockers = with_database(context, lambda database: stats.explain(database, job_id))
    may_run = not any(one.blocks for one in blockers)
    if as_json:
        print_json({"job": job_id, "may_run": may_run, "blockers": blockers})
        return
    if may_run:
        write("may run now")
    if blockers:
        _print(blockers)


def _print(blockers: list[Blocker]) -> None:
    rows = ((one.blocker, ago(one.until), one.detail) for one in blockers)
    print_wrapped(("blocker", "until", "why"), rows)
