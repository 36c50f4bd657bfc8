"""`holdfast jobs list`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json, Limit, read_job_id
from holdfast.cli.frame.option_groups import takes
from holdfast.cli.frame.render import Columns, ago, done, print_list
from holdfast.cli.frame.session import with_database
from holdfast.cli.jobs.job_filter_options import Filters, StateFilter, filters_of
from holdfast.db import jobs
from holdfast.model.job import Job

COLUMNS: Columns[Job] = {
    "id": lambda job: job.id,
    "state": lambda job: job.state,
    "task": lambda job: job.task,
    "queue": lambda job: job.queue,
    "try": lambda job: job.attempt,
    "age": lambda job: ago(job.created_at),
}


@takes(filters=filters_of)
def list_jobs(
    context: typer.Context,
    filters: Filters,
    state: StateFilter = None,
    before: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="Only jobs older than the job with this id. For the next page, pass the id of the last job "
            "shown.",
        ),
    ] = None,
    limit: Limit = 50,
    as_json: Json = False,
) -> None:
    """List jobs, the newest first. Also shows the progress that handlers reported."""
    chosen = {**filters, "state": state.value} if state else filters
    last = read_job_id(before) if before else None
    found = with_database(context, lambda database: jobs.list_jobs(database, chosen, last, limit))
    columns = {**COLUMNS, "done": done} if any(job.progress for job in found) else COLUMNS
    if any(job.cost for job in found):
        columns = {**columns, "cost": lambda job: None if job.cost is None else f"{job.cost:.4g}"}
    print_list(as_json, "jobs", found, columns, keep=("id", "state", "try", "age"))
