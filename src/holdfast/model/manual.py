"""What became of jobs on which somebody laid hands."""

from dataclasses import dataclass
from enum import StrEnum

from holdfast.model.id import JobId


class ManualResult(StrEnum):
    """What an action by hand did to one job. `busy`: somebody is changing it right now, ask again."""

    TAKEN_BACK = "taken_back"
    CANCELLED = "cancelled"  # taken back after it had been asked to cancel
    COMPLETED = "completed"
    DEAD = "dead"
    SET = "set"
    NOT_RUNNING = "not_running"
    ENDED = "ended"
    BUSY = "busy"
    NOT_FOUND = "not_found"


@dataclass(frozen=True, slots=True)
class FoundJobs:
    """Live jobs that fit a filter. `next` is where to go on; None at the end. May be empty before it."""

    ids: list[JobId]
    next: JobId | None
