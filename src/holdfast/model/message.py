"""Jobs as the message routes of the HTTP API name them: by their unique key."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from holdfast.model.id import JobId
from holdfast.model.state import State


@dataclass(frozen=True, slots=True)
class PendingMessage:
    """A job that could be claimed now."""

    job_id: JobId
    message_id: str
    task: str
    queue: str
    payload: Any
    priority: int
    failures: int
    ready_at: datetime


@dataclass(frozen=True, slots=True)
class MessageClaim:
    """`is_claimed` false: it is not ready or may not start now, and only the first three fields are set."""

    is_claimed: bool
    job_id: JobId
    state: State
    message_id: str | None
    task: str | None
    queue: str | None
    payload: Any
    priority: int | None
    failures: int | None
    started_at: datetime | None
    lease_until: datetime | None


@dataclass(frozen=True, slots=True)
class MessageEnd:
    job_id: JobId
    state: State


@dataclass(frozen=True, slots=True)
class MessageCounts:
    """`complete` and `failed` since the installation."""

    pending: int
    processing: int
    complete: int
    failed: int
