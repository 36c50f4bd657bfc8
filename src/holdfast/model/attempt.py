"""What is kept of attempts that did not succeed."""

from dataclasses import dataclass
from datetime import datetime

from holdfast.model.id import JobId, WorkerId


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try that failed, was put off, or was lost with its worker."""

    job: JobId
    attempt: int
    outcome: str
    error_class: str | None
    error_type: str | None
    message: str | None
    place: str | None
    traceback: str | None
    worker: WorkerId | None
    host: str | None
    started_at: datetime | None
    ended_at: datetime
    retry_at: datetime | None
