"""One job with all that is known about it, as a document and as a sheet."""

from dataclasses import dataclass
from typing import Any

from holdfast.cli.output import printable, write
from holdfast.cli.render import ago, facts, plain, print_sheet, print_table
from holdfast.db import jobs, reads
from holdfast.db.connect import Database
from holdfast.model.attempt import Attempt
from holdfast.model.error import NotFound, PermissionDenied
from holdfast.model.id import JobId
from holdfast.model.job import Job


@dataclass(frozen=True, slots=True)
class JobRecord:
    job: Job
    attempts: list[Attempt]


async def read_record(database: Database, job_id: JobId) -> JobRecord:
    job = await jobs.get_job(database, job_id)
    if job is None:
        raise NotFound(f"There is no job {job_id}.")
    try:
        attempts = await reads.list_attempts(database, job_id)
    except PermissionDenied:
        attempts = []  # a producer may see its job, but not how workers fared with it
    return JobRecord(job, attempts)


def document(record: JobRecord) -> dict[str, Any]:
    return {**plain(record.job), "attempts": plain(record.attempts)}


def print_record(record: JobRecord) -> None:
    print_sheet(facts(record.job))
    if not record.attempts:
        return
    write("")
    print_table(
        ("attempt", "outcome", "class", "age", "error"),
        (
            (one.attempt, one.outcome, one.error_class, ago(one.ended_at), _error(one))
            for one in record.attempts
        ),
        keep=("attempt", "outcome", "class", "age"),
    )
    last = record.attempts[0]
    if last.traceback:
        write("")
        write(printable(last.traceback.rstrip()))


def _error(attempt: Attempt) -> str:
    return ": ".join(part for part in (attempt.error_type, attempt.message) if part)
