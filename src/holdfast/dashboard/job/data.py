"""The data of a job, one tab at a time: payload, output, stages, checkpoints, logs and errors."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from holdfast.dashboard.json_code import JsonCode, json_code
from holdfast.dashboard.page import View
from holdfast.db import jobs, logs
from holdfast.db.pipelines import load_context
from holdfast.model.attempt import Attempt
from holdfast.model.checkpoint import Checkpoint
from holdfast.model.job import Job, JobDetails
from holdfast.model.masking import Masking

MOST_LINES = 500  # of a log
MOST_TRACEBACK = 60  # lines: its end says what went wrong
MOST_ERRORS = 20
MOST_CHECKPOINTS = 50
STAGE_LINES = 60

Values = dict[str, Any]
Tab = tuple[str, str, int | None]  # its name, its words, and how many there are


def tabs_of(job: Job, details: JobDetails) -> list[Tab]:
    found: list[Tab] = [("payload", "Payload", None)]
    if job.is_ended:
        found.append(("output", "Output", None))
    if details.pipeline is not None or details.outputs:
        found.append(("stages", "Stages", details.outputs))
    found.append(("checkpoints", "Checkpoints", details.checkpoints))
    found.append(("logs", "Logs", details.log_lines))
    found.append(("errors", "Errors", details.attempts))
    return found


async def read_data(view: View, job: Job, details: JobDetails) -> Values:
    """Of the tab that the address names."""
    names = [name for name, _, _ in tabs_of(job, details)]
    tab = view.get("tab") if view.get("tab") in names else names[0]
    readers: dict[str, Callable[[View, Job], Awaitable[Values]]] = {
        "payload": _payload,
        "output": _output,
        "stages": _stages,
        "checkpoints": _checkpoints,
        "logs": _logs,
        "errors": _errors,
    }
    return {"tab": tab, **await readers[tab](view, job)}


async def _payload(view: View, job: Job) -> Values:
    return {"code": json_code(job.payload, view.masking)}


async def _output(view: View, job: Job) -> Values:
    return {"code": None if job.output is None else json_code(job.output, view.masking)}


async def _stages(view: View, job: Job) -> Values:
    found = await load_context(view.database, job.id)
    return {"stages": [(stage, json_code(one, view.masking, STAGE_LINES)) for stage, one in found.items()]}


async def _checkpoints(view: View, job: Job) -> Values:
    found = await jobs.list_checkpoints(view.database, job.id)
    return {"checkpoints": [(one, _code_of(one, view.masking)) for one in found[-MOST_CHECKPOINTS:]]}


def _code_of(checkpoint: Checkpoint, masking: Masking) -> JsonCode | None:
    """None if it is so long that the database cut it, and no JSON any more."""
    try:
        return json_code(json.loads(checkpoint.value), masking, STAGE_LINES)
    except (ValueError, RecursionError):
        return None


async def _logs(view: View, job: Job) -> Values:
    """Of the attempt that the address names, else of the latest that logged."""
    kept = await logs.summaries(view.database, job.id)
    asked = next((one for one in kept if str(one.attempt) == view.get("attempt")), None)
    chosen = asked or (kept[-1] if kept else None)
    lines = await logs.list_lines(view.database, job.id, chosen.attempt) if chosen else []
    return {"logs": kept, "chosen": chosen, "lines": lines[-MOST_LINES:]}


async def _errors(view: View, job: Job) -> Values:
    found = await jobs.list_attempts(view.database, job.id, MOST_ERRORS)
    return {"errors": [(_seen(view, one), _traceback(one)) for one in found]}


def _seen(view: View, attempt: Attempt) -> Attempt:
    """Workers and hosts belong to the whole installation."""
    return attempt if view.sees_all else replace(attempt, worker=None, host=None)


def _traceback(attempt: Attempt) -> list[str]:
    return (attempt.traceback or "").rstrip().split("\n")[-MOST_TRACEBACK:] if attempt.traceback else []
