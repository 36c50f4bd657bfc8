"""One job with all that is known about it, as a document and as a sheet with its story."""

from dataclasses import dataclass
from typing import Any

from holdfast.cli.output import tell, write
from holdfast.cli.render import ago, clock, facts, plain, print_sheet, print_table
from holdfast.db import jobs, reads, stats
from holdfast.db.calls import list_calls
from holdfast.db.connect import Database
from holdfast.model.attempt import Attempt
from holdfast.model.call import Call
from holdfast.model.error import NotFound, PermissionDenied
from holdfast.model.id import JobId
from holdfast.model.job import Job
from holdfast.model.story import TimelineEntry


@dataclass(frozen=True, slots=True)
class JobRecord:
    job: Job
    attempts: list[Attempt]
    timeline: list[TimelineEntry]
    calls: list[Call]


async def read_record(database: Database, job_id: JobId) -> JobRecord:
    job = await jobs.get_job(database, job_id)
    if job is None:
        raise NotFound(f"There is no job {job_id}.")
    try:
        attempts = await reads.list_attempts(database, job_id)
        timeline = await stats.timeline(database, job_id)
        return JobRecord(job, attempts, timeline, await list_calls(database, job_id))
    except PermissionDenied:
        return JobRecord(job, [], [], [])  # a producer may see its job, but not how workers fared with it


def document(record: JobRecord) -> dict[str, Any]:
    return {
        **plain(record.job),
        "attempts": plain(record.attempts),
        "timeline": plain(record.timeline),
        "calls": plain(record.calls),
    }


def print_record(record: JobRecord) -> None:
    print_sheet(facts(record.job) | {"progress": _progress(record.job)})
    if record.timeline:
        write("")
        print_table(
            ("at", "what", "try", "who", "why"),
            ((clock(one.at), one.what, one.attempt, one.actor, _why(one)) for one in record.timeline),
            keep=("at", "what", "try"),
        )
    print_traceback(record.attempts)


def _progress(job: Job) -> str | None:
    return None if job.progress is None else f"{job.progress} (reported {ago(job.progress.updated_at)} ago)"


def _why(entry: TimelineEntry) -> str | None:
    """A stage is told with what it left, a replay with where it starts."""
    if entry.what == "replay" and "stage" in entry.detail:
        return ": ".join(filter(None, (f"from stage {entry.detail['stage']}", entry.words)))
    if entry.what == "stage" and entry.words is not None:
        return f"{entry.words}: {entry.detail.get('output', 'no output')}"
    return entry.words


def print_attempts(attempts: list[Attempt]) -> None:
    if not attempts:
        return
    write("")
    print_table(
        ("attempt", "outcome", "class", "age", "error"),
        ((one.attempt, one.outcome, one.error_class, ago(one.ended_at), _error(one)) for one in attempts),
        keep=("attempt", "outcome", "class", "age"),
    )
    print_traceback(attempts)


def print_traceback(attempts: list[Attempt]) -> None:
    """Of the last attempt; indented, so that no line of it looks like a row of ours."""
    if attempts and attempts[0].traceback:
        write("")
        for line in attempts[0].traceback.rstrip().split("\n"):
            tell(f"  {line}")


def _error(attempt: Attempt) -> str:
    return ": ".join(part for part in (attempt.error_type, attempt.message) if part)
