"""`holdfast jobs list`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import (
    Json,
    Limit,
    read_job_id,
)
from holdfast.cli.frame.render import Columns, ago, done, print_list
from holdfast.cli.frame.session import with_database
from holdfast.cli.jobs.job_filter_options import (
    ActorFilter,
    LabelFilter,
    OriginFilter,
    QueueFilter,
    RunFilter,
    StateFilter,
    TaskFilter,
    UniqueKeyFilter,
    UniqueScopeFilter,
    filters_of,
)
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


def list_jobs(
    context: typer.Context,
    state: StateFilter = None,
    queue: QueueFilter = None,
    task: TaskFilter = None,
    run: RunFilter = None,
    label: LabelFilter = None,
    origin: OriginFilter = None,
    actor: ActorFilter = None,
    unique_key: UniqueKeyFilter = None,
    unique_scope: UniqueScopeFilter = None,
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
    filters = filters_of(queue, task, run, label, None, origin, actor, unique_key, unique_scope) | (
        {"state": state.value} if state else {}
    )
    last = read_job_id(before) if before else None
    found = with_database(context, lambda database: jobs.list_jobs(database, filters, last, limit))
    columns = {**COLUMNS, "done": done} if any(job.progress for job in found) else COLUMNS
    if any(job.cost for job in found):
        columns = {**columns, "cost": lambda job: None if job.cost is None else f"{job.cost:.4g}"}
    print_list(as_json, "jobs", found, columns, keep=("id", "state", "try", "age"))
