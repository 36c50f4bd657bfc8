"""`holdfast explain`."""

import typer

from holdfast.cli.frame.common_options import Json, OneJob, read_job_id
from holdfast.cli.frame.output import command, say, write
from holdfast.cli.frame.render import ago, print_json, print_wrapped
from holdfast.cli.frame.session import with_database
from holdfast.db import stats
from holdfast.model.timeline import Blocker


def explain(
    context: typer.Context,
    job: OneJob,
    as_json: Json = False,
) -> None:
    """Lists the causes, the most important first, and says when each of them ends, if known."""
    job_id = read_job_id(job)
    blockers = with_database(context, lambda database: stats.explain(database, job_id))
    may_run = not any(one.blocks for one in blockers)
    if as_json:
        print_json({"job": job_id, "may_run": may_run, "blockers": blockers})
        return
    if may_run:
        write("may run now")
    if blockers:
        _print(blockers)
    if any(one.blocker == "ended" for one in blockers) and " died at " in blockers[0].detail:
        say(f"hint: {command('dead', 'show', str(job_id))} shows every attempt;")
        say(f"      once the cause is fixed, {command('dead', 'replay', str(job_id))} runs it again")


def _print(blockers: list[Blocker]) -> None:
    rows = ((one.blocker, ago(one.until), one.detail) for one in blockers)
    print_wrapped(("blocker", "until", "why"), rows)
