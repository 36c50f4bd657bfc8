"""`holdfast jobs show`: all that is known about one job, with its timeline."""

from dataclasses import dataclass
from typing import Any

import typer

from holdfast.cli.frame.common_options import Json, OneJob, read_job_id
from holdfast.cli.frame.output import command, tell, write
from holdfast.cli.frame.render import ago, clock, error_words, facts, print_json, print_sheet, print_table
from holdfast.cli.frame.session import with_database
from holdfast.db import jobs, logs, stats
from holdfast.db.connect import Database
from holdfast.db.recorded_calls import list_calls
from holdfast.model.attempt import Attempt
from holdfast.model.checkpoint import Checkpoint
from holdfast.model.error import NotFound, PermissionDenied
from holdfast.model.handler_log import LogSummary
from holdfast.model.human_readable import counted, some
from holdfast.model.id import JobId
from holdfast.model.job import Job, JobProgress
from holdfast.model.json_document import plain
from holdfast.model.recorded_call import Call
from holdfast.model.state import ENDS
from holdfast.model.timeline import TimelineEntry


def show_job(context: typer.Context, job: OneJob, as_json: Json = False) -> None:
    """Show one job: payload, output, failed attempts and timeline."""
    job_id = read_job_id(job)
    record = with_database(context, lambda database: read_record(database, job_id))
    if as_json:
        print_json(document(record))
    else:
        print_record(record)


def show_checkpoints(context: typer.Context, job: OneJob, as_json: Json = False) -> None:
    """Show the checkpoints of a job: what its handlers saved.

    Secrets are removed, and a value is cut after 8 KiB.
    """
    job_id = read_job_id(job)
    found = with_database(context, lambda database: _checkpoints(database, job_id))
    if as_json:
        print_json({"job": job_id, "checkpoints": found})
        return
    print_table(
        ("name", "attempt", "age", "bytes", "value"),
        ((one.name, one.attempt, ago(one.saved_at), one.size, one.value) for one in found),
        keep=("name", "attempt", "age", "bytes"),
    )


async def _checkpoints(database: Database, job: JobId) -> list[Checkpoint]:
    if await jobs.get_job(database, job) is None:
        raise NotFound(f"There is no job {job}.")
    return await jobs.list_checkpoints(database, job)


@dataclass(frozen=True, slots=True)
class JobRecord:
    job: Job
    attempts: list[Attempt]
    timeline: list[TimelineEntry]
    calls: list[Call]
    logs: list[LogSummary]
    checkpoints: list[Checkpoint]
    trace_id: str | None = None


async def read_record(database: Database, job_id: JobId) -> JobRecord:
    job = await jobs.get_job(database, job_id)
    if job is None:
        raise NotFound(f"There is no job {job_id}.")
    try:
        attempts = await jobs.list_attempts(database, job_id)
        timeline = await stats.timeline(database, job_id)
        calls, kept = await list_calls(database, job_id), await logs.summaries(database, job_id)
        saved = await jobs.list_checkpoints(database, job_id)
        details = await jobs.get_details(database, job_id)
        return JobRecord(job, attempts, timeline, calls, kept, saved, details.trace_id if details else None)
    except PermissionDenied:
        return JobRecord(job, [], [], [], [], [])  # a worker may see a job, but not its attempts


def document(record: JobRecord) -> dict[str, Any]:
    return {
        **plain(record.job),
        "attempts": plain(record.attempts),
        "timeline": plain(record.timeline),
        "calls": plain(record.calls),
        "logs": plain(record.logs),
        "checkpoints": plain(record.checkpoints),
        "trace_id": record.trace_id,
    }


def print_record(record: JobRecord) -> None:
    more = {"progress": _progress(record.job), "logs": _logs(record), "checkpoints": _saved(record)}
    print_sheet(facts(record.job) | more | {"trace": record.trace_id})
    if record.job.progress is not None:
        print_item_errors(record.job.progress)
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


def _logs(record: JobRecord) -> str | None:
    if not record.logs:
        return None
    lines, tries = sum(one.lines for one in record.logs), counted(len(record.logs), "attempt")
    return f"{counted(lines, 'line')} of {tries} ({command('jobs', 'logs', str(record.job.id))})"


def _saved(record: JobRecord) -> str | None:
    if not record.checkpoints:
        return None
    names = some([one.name for one in record.checkpoints])
    return f"{names} ({command('jobs', 'checkpoints', str(record.job.id))})"


def print_item_errors(progress: JobProgress) -> None:
    """The latest, in the order of the reports."""
    if progress.errors:
        write("")
        print_table(
            ("item", "error of an item"), ((one.item, one.error) for one in progress.errors), keep=("item",)
        )


def _why(entry: TimelineEntry) -> str | None:
    """A stage is told with its cost and what it left, a replay with where it starts, a move with its queues.
    The end of a job has the cost of its last stage.
    """
    cost = f"cost {entry.detail['cost']:.4g}" if entry.detail.get("cost") else None
    if entry.what == "move" and "to_queue" in entry.detail:
        return f"from {entry.detail['from_queue']} to {entry.detail['to_queue']}: {entry.words}"
    if entry.what == "replay" and "stage" in entry.detail:
        return ": ".join(filter(None, (f"from stage {entry.detail['stage']}", entry.words)))
    if entry.what == "stage" and entry.words is not None:
        spent = ", ".join(filter(None, (entry.words, cost)))
        return f"{spent}: {entry.detail.get('output', 'no output')}"
    stage = entry.detail.get("stage") if entry.what in ENDS else None
    return ", ".join(filter(None, (stage, entry.words, cost))) or None


def print_attempts(attempts: list[Attempt]) -> None:
    if not attempts:
        return
    write("")
    print_table(
        ("attempt", "outcome", "class", "age", "error"),
        (
            (one.attempt, one.outcome, one.error_class, ago(one.ended_at), error_words(one))
            for one in attempts
        ),
        keep=("attempt", "outcome", "class", "age"),
    )
    print_traceback(attempts)


def print_traceback(attempts: list[Attempt]) -> None:
    """Of the last attempt; indented, so that no line of it looks like a row of ours."""
    if attempts and attempts[0].traceback:
        write("")
        for line in attempts[0].traceback.rstrip().split("\n"):
            tell(f"  {line}")
