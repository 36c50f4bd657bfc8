"""The verbs on dead letters."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from asyncpg import Record

from holdfast.db import reads
from holdfast.db.jobs import get_job
from holdfast.db.statement import Executor, fetch, fetch_row, fetch_value
from holdfast.model.dead_letter import (
    DeadLetter,
    LetterGroup,
    LetterPage,
    LetterPlace,
    LetterReplays,
    LetterSheet,
    Note,
    Triage,
)
from holdfast.model.id import JobId
from holdfast.model.payload import JsonText
from holdfast.model.queue import ReplayResult
from holdfast.model.state import State

COLUMNS = (
    "job_id, generation, queue, task, run, reason, class, error_type, message, place, fingerprint, died_at,"
    " status, assignee, replays, replayed_at, replayed_by, outcome, replaced_by"
)
FIND = f"select {COLUMNS} from holdfast.find_dead_letters($1::jsonb, $2::timestamptz, $3::uuid, $4::integer)"
GET = f"select {COLUMNS} from holdfast.dead_letter_view where job_id = $1"
NOTES = "select at, author, note from holdfast.note_view where job_id = $1 order by id limit 1000"
GROUPS = (
    "select fingerprint, class, error_type, message, place, reasons, tasks, letters, open, last_hour,"
    " hour_before, first_at, last_at, sample, is_partial"
    " from holdfast.dead_letter_groups($1::jsonb, $2::integer)"
)
NOTE = "select holdfast.note_dead_letters($1::uuid[], $2::text, $3::text)"
TRIAGE = "select holdfast.triage_dead_letters($1::uuid[], $2::text, $3::text, $4::text, $5::text)"
REPLAY = (
    "select job_id, died_at, result from holdfast.replay_dead_letters("
    "$1::jsonb, $2::timestamptz, $3::uuid, $4::integer, $5::text, $6::text)"
)
REPLACE = "select holdfast.replace_job($1::uuid, $2::json, $3::text, $4::text)"

Filters = Mapping[str, Any]
MOST_LETTERS = 1000  # that one call finds or replays


async def find_letters(
    on: Executor, filters: Filters, before: LetterPlace | None = None, limit: int = 100
) -> LetterPage:
    """Letters of dead jobs, newest first. One call looks at a bounded number, so follow `next`."""
    limit = min(limit, MOST_LETTERS)
    found = await fetch(on, FIND, json.dumps(filters), *_place(before), limit)
    letters = [_letter(row) for row in found if row["reason"] is not None]
    return LetterPage(letters, _next(found, len(letters) == limit or len(letters) < len(found)))


async def get_letter(on: Executor, job: JobId) -> DeadLetter | None:
    """The letter of a job that died, whatever became of it since."""
    row = await fetch_row(on, GET, job)
    return None if row is None else _letter(row)


async def get_sheet(on: Executor, job: JobId) -> LetterSheet | None:
    letter = await get_letter(on, job)
    if letter is None:
        return None
    notes = [Note(*row) for row in await fetch(on, NOTES, job)]
    attempts, found = await reads.list_attempts(on, job), await get_job(on, job)
    if found is None:
        return LetterSheet(letter, attempts, notes, None, {}, None)
    return LetterSheet(letter, attempts, notes, found.payload, found.labels, found.created_at)


async def letter_groups(on: Executor, filters: Filters, limit: int = 50) -> list[LetterGroup]:
    return [LetterGroup(*row) for row in await fetch(on, GROUPS, json.dumps(filters), limit)]


async def note_letters(on: Executor, jobs: Sequence[JobId], note: str, author: str) -> int:
    return int(await fetch_value(on, NOTE, list(jobs), note, author))


async def triage_letters(
    on: Executor,
    jobs: Sequence[JobId],
    status: Triage | None,
    assignee: str | None,
    reason: str | None,
    actor: str,
) -> list[JobId]:
    """Those that were changed. None leaves a value as it is; an empty assignee takes it off."""
    return [row[0] for row in await fetch(on, TRIAGE, list(jobs), status, assignee, reason, actor)]


async def replay_letters(
    on: Executor, filters: Filters, after: LetterPlace | None, limit: int, reason: str | None, actor: str
) -> LetterReplays:
    """The next so many of a bulk replay, oldest first."""
    limit = min(limit, MOST_LETTERS)
    rows = await fetch(on, REPLAY, json.dumps(filters), *_place(after), limit, reason, actor)
    results = {row["job_id"]: ReplayResult(row["result"]) for row in rows if row["result"] != "more"}
    return LetterReplays(results, _next(rows, len(results) == limit or len(results) < len(rows)))


async def replace_job(on: Executor, job: JobId, payload: JsonText, reason: str | None, actor: str) -> JobId:
    """The job that stands in the place of the dead one."""
    return JobId(await fetch_value(on, REPLACE, job, payload, reason, actor))


def _letter(row: Record) -> DeadLetter:
    values: dict[str, Any] = dict(row)
    values["job"] = values.pop("job_id")
    values["error_class"] = values.pop("class")
    values["status"] = Triage(values["status"])
    values["outcome"] = None if values["outcome"] is None else State(values["outcome"])
    return DeadLetter(**values)


def _place(place: LetterPlace | None) -> tuple[object, object]:
    return (None, None) if place is None else (place.died_at, place.job)


def _next(rows: list[Record], is_cut: bool) -> LetterPlace | None:
    return LetterPlace(rows[-1]["died_at"], rows[-1]["job_id"]) if is_cut and rows else None
