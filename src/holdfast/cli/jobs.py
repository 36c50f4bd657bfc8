"""`holdfast jobs`."""

from typing import Annotated, Any

import typer

from holdfast.cli import intervene
from holdfast.cli.job_control import cancel_jobs, replay_jobs
from holdfast.cli.job_sheet import document, print_record, read_record
from holdfast.cli.options import Json, Labels, Limit, WaitTimeout, actor, duration, identifier
from holdfast.cli.output import write
from holdfast.cli.render import ago, done, print_json, print_table
from holdfast.cli.selection import QueueFilter, RunFilter, StateFilter, TaskFilter, filters_of
from holdfast.cli.session import with_database
from holdfast.cli.wait import wait_for
from holdfast.db import jobs, pipelines
from holdfast.db.connect import Database
from holdfast.model.error import NotFound, WrongState
from holdfast.model.id import JobId
from holdfast.model.job import Job
from holdfast.model.journey import SignalResult
from holdfast.model.payload import JsonText, encode, read
from holdfast.model.state import State

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
app.command("cancel")(cancel_jobs)
app.command("replay")(replay_jobs)
intervene.register(app)

Id = Annotated[str, typer.Argument(metavar="JOB", help="The job's id.")]
Ids = Annotated[list[str], typer.Argument(metavar="JOB...", help="The jobs' ids.")]


def register(root: typer.Typer, name: str, text: str) -> None:
    root.add_typer(app, name=name, help=text)


@app.command("list")
def list_jobs(
    context: typer.Context,
    state: StateFilter = None,
    queue: QueueFilter = None,
    task: TaskFilter = None,
    run: RunFilter = None,
    label: Labels = None,
    before: Annotated[str | None, typer.Option(help="The last id of the page before.")] = None,
    limit: Limit = 50,
    as_json: Json = False,
) -> None:
    """Live and ended jobs that match, newest first, with the progress that they reported."""
    filters = filters_of(queue, task, run, label) | ({"state": state.value} if state else {})
    last = JobId(identifier(before)) if before else None
    found = with_database(context, lambda database: jobs.list_jobs(database, filters, last, limit))
    if as_json:
        print_json({"jobs": found})
        return
    columns = ["id", "state", "task", "queue", "try", "age"]
    if any(job.progress for job in found):
        columns.append("done")
    print_table(columns, (_row(job)[: len(columns)] for job in found), keep=("id", "state", "try", "age"))


@app.command("show")
def show_job(context: typer.Context, job: Id, as_json: Json = False) -> None:
    """One job with its payload, its output and the attempts that did not succeed."""
    job_id = JobId(identifier(job))
    record = with_database(context, lambda database: read_record(database, job_id))
    if as_json:
        print_json(document(record))
    else:
        print_record(record)


@app.command("wait")
def wait_jobs(context: typer.Context, ids: Ids, timeout: WaitTimeout = None, as_json: Json = False) -> None:
    """Until all have ended; exits 1 unless all completed, 7 if the time is up."""
    chosen = [JobId(identifier(one)) for one in ids]
    limit = duration(timeout)
    ended = with_database(
        context, lambda database: wait_for(lambda: _all(database, chosen), _have_ended, limit, "the jobs")
    )
    if as_json:
        print_json({"jobs": [_result(job) for job in ended]})
    else:
        for job in ended:
            write(f"{job.id} {job.state}")
    if any(job.state is not State.COMPLETED for job in ended):
        raise typer.Exit(1)


@app.command("signal")
def signal_job(
    context: typer.Context,
    job: Id,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the job waits for.")],
    data: Annotated[str, typer.Option(help="What to tell it: JSON, or a text.")] = "null",
    as_json: Json = False,
) -> None:
    """Tell a job what it waits for, or will wait for; of several under one name the first counts."""
    job_id, text = JobId(identifier(job)), _data(data)
    result = with_database(context, lambda database: pipelines.signal(database, job_id, name, text, actor()))
    if as_json:
        print_json({"id": job_id, "name": name, "result": result})
    else:
        write(f"{job_id} {result}")
    if result == SignalResult.ENDED:
        raise WrongState(f"The job {job_id} has ended; nobody waits for the signal.")


def _row(job: Job) -> tuple[object, ...]:
    return job.id, job.state, job.task, job.queue, job.attempt, ago(job.created_at), done(job)


async def _all(database: Database, ids: list[JobId]) -> list[Job]:
    return [await _get(database, job) for job in ids]


async def _get(database: Database, job: JobId) -> Job:
    found = await jobs.get_job(database, job)
    if found is None:
        raise NotFound(f"There is no job {job}.")
    return found


def _have_ended(found: list[Job]) -> bool:
    return all(job.is_ended for job in found)


def _result(job: Job) -> dict[str, Any]:
    return {"id": job.id, "state": job.state, "output": job.output, "reason": job.reason}


def _data(text: str) -> JsonText:
    try:
        return encode(read(text))
    except ValueError:
        return encode(text)
