"""The verbs on dead letters."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from asyncpg import Record

from holdfast.db.jobs import get_job, list_attempts
from holdfast.db.read_rows import read, read_all, read_first
from holdfast.db.statement import Executor, fetch, fetch_value
from holdfast.model.dead_letter import (
    DeadLetter,
    LetterCause,
    LetterCounts,
    LetterGroup,
    LetterPlace,
    LetterReplays,
    LetterSheet,
    Note,
    Triage,
)
from holdfast.model.id import JobId
from holdfast.model.page import Page
from holdfast.model.payload import JsonText
from holdfast.model.queue import ReplayResult

COLUMNS = (
    "job_id, generation, queue, task, run, reason, class, error_type, message, place, fingerprint, died_at,"
    " status, assignee, replays, replayed_at, replayed_by, outcome, replaced_by"
)
FIND = f"select {COLUMNS} from holdfast.find_dead_letters($1::jsonb, $2::timestamptz, $3::uuid, $4::integer)"
GET = f"select {COLUMNS} from holdfast.dead_letter_view where job_id = $1"
FINGERPRINTS = "select job_id, fingerprint from holdfast.dead_letter_view where job_id = any ($1::uuid[])"
NOTES = "select at, author, note from holdfast.note_view where job_id = $1 order by id limit 1000"
GROUPS = (
    "select fingerprint, class, error_type, message, place, reasons, tasks, letters, open, last_hour,"
    " hour_before, first_at, last_at, sample, is_partial"
    " from holdfast.dead_letter_groups($1::jsonb, $2::integer)"
)
STATUSES = "select status, letters, is_partial from holdfast.count_letters_by_status($1::jsonb)"
CAUSES = (
    "select queue, fingerprint, reason, error_type, message, letters, first_at"
    " from holdfast.main_letter_groups($1::text[])"
)
COUNT = "select holdfast.count_dead_letters($1::jsonb)"
NOTE = "select holdfast.note_dead_letters($1::uuid[], $2::text, $3::text)"
TRIAGE = "select holdfast.triage_dead_letters($1::uuid[], $2::text, $3::text, $4::text, $5::text)"
REPLAY = (
    "select job_id, died_at, result from holdfast.replay_dead_letters("
    "$1::jsonb, $2::timestamptz, $3::uuid, $4::integer, $5::text, $6::text, $7::text)"
)
REPLACE = "select holdfast.replace_job($1::uuid, $2::json, $3::text, $4::text)"

Filters = Mapping[str, Any]
MOST_LETTERS = 1000  # that one call finds or replays


async def fingerprints(on: Executor, jobs: Sequence[JobId]) -> dict[JobId, str]:
    """Of those that have a dead letter."""
    return {row["job_id"]: row["fingerprint"] for row in await fetch(on, FINGERPRINTS, list(jobs))}


async def find_letters(
    on: Executor, filters: Filters, before: LetterPlace | None = None, limit: int = 100
) -> Page[DeadLetter, LetterPlace]:
    """Dead letters, newest first. One call reads a bounded number, so follow `next`."""
    limit = min(limit, MOST_LETTERS)
    found = await fetch(on, FIND, json.dumps(filters), *_place(before), limit)
    letters = [read(DeadLetter, row) for row in found if row["reason"] is not None]
    return Page(letters, _next(found, len(letters) == limit or len(letters) < len(found)))


async def count_letters(on: Executor, filters: Filters) -> int:
    return int(await fetch_value(on, COUNT, json.dumps(filters)))


async def letters_by_status(on: Executor, filters: Filters) -> LetterCounts:
    rows = await fetch(on, STATUSES, json.dumps(filters))
    found = {row["status"]: row["letters"] for row in rows}
    return LetterCounts({one: found.get(one, 0) for one in Triage}, any(row["is_partial"] for row in rows))


async def main_causes(on: Executor, queues: Sequence[str]) -> dict[str, LetterCause]:
    """By queue, of those that have open dead letters."""
    return {one.queue: one for one in await read_all(on, LetterCause, CAUSES, list(queues))}


async def count_replayable(on: Executor, filters: Filters) -> int:
    """How many a bulk replay takes: unless a status is asked for, those open or under investigation."""
    if "status" in filters:
        return await count_letters(on, filters)
    return sum(
        [await count_letters(on, {**filters, "status": one}) for one in (Triage.OPEN, Triage.INVESTIGATING)]
    )


async def get_letter(on: Executor, job: JobId) -> DeadLetter | None:
    """The dead letter of a job, also after a replay."""
    return await read_first(on, DeadLetter, GET, job)


async def get_sheet(on: Executor, job: JobId) -> LetterSheet | None:
    letter = await get_letter(on, job)
    if letter is None:
        return None
    notes = await read_all(on, Note, NOTES, job)
    attempts, found = await list_attempts(on, job), await get_job(on, job)
    if found is None:
        return LetterSheet(letter, attempts, notes, None, {}, None)
    return LetterSheet(letter, attempts, notes, found.payload, found.labels, found.created_at)


async def letter_groups(on: Executor, filters: Filters, limit: int = 50) -> list[LetterGroup]:
    return await read_all(on, LetterGroup, GROUPS, json.dumps(filters), limit)


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
    """Returns those that changed. None leaves a value unchanged; an empty assignee removes it."""
    return [row[0] for row in await fetch(on, TRIAGE, list(jobs), status, assignee, reason, actor)]


async def replay_letters(
    on: Executor,
    filters: Filters,
    after: LetterPlace | None,
    limit: int,
    reason: str | None,
    actor: str,
    stage: str | None = None,
) -> LetterReplays:
    """The next so many of a bulk replay, oldest first; at a stage, or where each ended."""
    limit = min(limit, MOST_LETTERS)
    rows = await fetch(on, REPLAY, json.dumps(filters), *_place(after), limit, reason, actor, stage)
    results = {row["job_id"]: ReplayResult(row["result"]) for row in rows if row["result"] != "more"}
    return LetterReplays(results, _next(rows, len(results) == limit or len(results) < len(rows)))


async def replace_job(on: Executor, job: JobId, payload: JsonText, reason: str | None, actor: str) -> JobId:
    """The job that replaces the dead one."""
    return JobId(await fetch_value(on, REPLACE, job, payload, reason, actor))


def _place(place: LetterPlace | None) -> tuple[object, object]:
    return (None, None) if place is None else (place.died_at, place.job)


def _next(rows: list[Record], is_cut: bool) -> LetterPlace | None:
    return LetterPlace(rows[-1]["died_at"], rows[-1]["job_id"]) if is_cut and rows else None
