"""The ids: each kind its own type, so that a worker's id cannot be passed for a job's."""

from datetime import UTC, datetime, timedelta
from typing import NewType
from uuid import UUID

JobId = NewType("JobId", UUID)
RunId = NewType("RunId", UUID)
WorkerId = NewType("WorkerId", UUID)
Token = NewType("Token", UUID)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def created_at(one: UUID) -> datetime | None:
    """When the job or run with this id was created; None for an id that is not a UUID version 7."""
    return _EPOCH + timedelta(milliseconds=one.int >> 80) if one.version == 7 else None
