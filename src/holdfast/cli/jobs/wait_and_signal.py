"""`holdfast jobs wait` and `holdfast jobs signal`."""

from typing import Annotated, Any

import typer

from holdfast.cli.frame.common_options import (
    Json,
    OneJob,
    WaitTimeout,
    actor,
    duration,
    read_job_id,
)
from holdfast.cli.frame.output import write
from holdfast.cli.frame.render import print_json
from holdfast.cli.frame.session import with_database
from holdfast.client.wait import wait_until
from holdfast.db import jobs, pipelines
from holdfast.db.connect import Database
from holdfast.model.error import NotFound, WrongState
from holdfast.model.id import JobId
from holdfast.model.job import Job
from holdfast.model.payload import JsonText, encode, read
from holdfast.model.pipeline import SignalResult
from holdfast.model.state import State

Ids = Annotated[list[str], typer.Argument(metavar="JOB...", help="The ids of the jobs.")]


def wait_jobs(context: typer.Context, ids: Ids, timeout: WaitTimeout = None, as_json: Json = False) -> None:
    """Wait until all jobs that you name have ended.

    Exit codes: 0 if all jobs completed, 1 if at least one ended otherwise, 7 if --timeout is over.
    """
    chosen = [read_job_id(one) for one in ids]
    limit = duration(timeout)
    ended = with_database(
        context,
        lambda database: wait_until(lambda: _ended(database, chosen), limit, "The jobs have not ended"),
    )
    if as_json:
        print_json({"jobs": [_result(job) for job in ended]})
    else:
        for job in ended:
            write(f"{job.id} {job.state}")
    if any(job.state is not State.COMPLETED for job in ended):
        raise typer.Exit(1)


def signal_job(
    context: typer.Context,
    job: OneJob,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the signal.")],
    data: Annotated[
        str,
        typer.Option(metavar="DATA", help="The data of the signal, as JSON. Other text is sent as a string."),
    ] = "null",
    as_json: Json = False,
) -> None:
    """Send a signal (a named message) to a job.

    You can send the signal before the job waits for it. Of several signals with the same name, only the first
    counts.
    """
    job_id, text = read_job_id(job), _data(data)
    result = with_database(context, lambda database: pipelines.signal(database, job_id, name, text, actor()))
    if as_json:
        print_json({"id": job_id, "name": name, "result": result})
    else:
        write(f"{job_id} {result}")
    if result == SignalResult.ENDED:
        raise WrongState(f"The job {job_id} has ended, so it accepts no signals.")


async def _ended(database: Database, ids: list[JobId]) -> list[Job] | None:
    """All of them, once all have ended."""
    found = [await _get(database, job) for job in ids]
    return found if all(job.is_ended for job in found) else None


async def _get(database: Database, job: JobId) -> Job:
    found = await jobs.get_job(database, job)
    if found is None:
        raise NotFound(f"There is no job {job}.")
    return found


def _result(job: Job) -> dict[str, Any]:
    return {"id": job.id, "state": job.state, "output": job.output, "reason": job.reason}


def _data(text: str) -> JsonText:
    try:
        return encode(read(text))
    except ValueError:
        return encode(text)
