"""The audit trail: its events and seals."""

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

from holdfast.db.read_rows import read, read_all, read_first
from holdfast.db.statement import Executor, fetch
from holdfast.model.audit import AuditDay, AuditEvent
from holdfast.model.page import Page

COLUMNS = (
    "id, at, cause, job_id, run, queue, from_state, to_state, attempt, worker, actor, login, reason, detail,"
    " day"
)
LIST = f"select {COLUMNS} from holdfast.list_events($1::jsonb, $2::bigint, $3::integer)"
GET = f"select {COLUMNS} from holdfast.audit_view where id = $1"
VERIFY = "select day, events, status, problem, seal from holdfast.verify_events($1::date, $2::date, $3::text)"
MOST_EVENTS = 1000  # that one call finds


async def list_events(
    on: Executor, filters: Mapping[str, Any], before: int | None = None, limit: int = 100
) -> Page[AuditEvent, int]:
    """Newest first. One call reads a bounded number, so follow `next`."""
    limit = min(limit, MOST_EVENTS)
    found = await fetch(on, LIST, json.dumps(filters), before, limit)
    events = [read(AuditEvent, row) for row in found if row["cause"] is not None]
    is_cut = len(events) == limit or len(events) < len(found)
    return Page(events, found[-1]["id"] if is_cut else None)


async def get_event(on: Executor, number: int) -> AuditEvent | None:
    return await read_first(on, AuditEvent, GET, number)


async def verify_events(
    on: Executor, since: date | None, until: date | None, expect: str | None
) -> list[AuditDay]:
    """Each day, oldest first, compared with its seal."""
    return await read_all(on, AuditDay, VERIFY, since, until, expect)
