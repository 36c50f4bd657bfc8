"""The verbs by which workers that speak HTTP claim and end jobs by their message ids."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from holdfast.db.read_rows import read_all, read_one
from holdfast.db.statement import Executor
from holdfast.model.message import MessageClaim, MessageCounts, MessageEnd, PendingMessage
from holdfast.model.outcome import Verb
from holdfast.model.payload import JsonText

PENDING = (
    "select job_id, message_id, task, queue, payload, priority, failures, ready_at"
    " from holdfast.pending_messages($1::uuid, $2::text, $3::integer)"
)
CLAIM = (
    "select is_claimed, job_id, state, message_id, task, queue, payload, priority, failures, started_at,"
    " lease_until from holdfast.claim_message($1::uuid, $2::text, $3::text, $4::text, $5::interval)"
)
END = (
    "select job_id, state"
    " from holdfast.end_message($1::uuid, $2::text, $3::text, $4::text, $5::text::json, $6::text::jsonb)"
)
COUNT = "select pending, processing, complete, failed from holdfast.count_messages($1::uuid)"


async def pending_messages(on: Executor, key: UUID, group: str | None, limit: int) -> list[PendingMessage]:
    """The ready jobs that a worker with this access key could claim, in claim order."""
    return await read_all(on, PendingMessage, PENDING, key, group, limit)


async def claim_message(
    on: Executor, key: UUID, worker: str | None, message: str, group: str | None, lease: timedelta
) -> MessageClaim:
    """Raises NotFound for a message that is unknown to this key."""
    return await read_one(on, MessageClaim, CLAIM, key, worker, message, group, lease)


async def end_message(
    on: Executor,
    key: UUID,
    worker: str | None,
    message: str,
    verb: Verb,
    output: JsonText | None,
    detail: Mapping[str, Any],
) -> MessageEnd:
    """Raises LeaseLost if the newest claim is not this caller's."""
    return await read_one(on, MessageEnd, END, key, worker, message, verb.value, output, json.dumps(detail))


async def count_messages(on: Executor, key: UUID) -> MessageCounts:
    return await read_one(on, MessageCounts, COUNT, key)
