"""The results of operator actions on single jobs."""

from enum import StrEnum


class OperatorResult(StrEnum):
    """The result of an operator action on one job. `busy`: another transaction is changing the job; try
    again.
    """

    RECLAIMED = "reclaimed"
    CANCELLED = "cancelled"  # taken from its worker after a cancel request
    COMPLETED = "completed"
    DEAD = "dead"
    SET = "set"
    NOT_RUNNING = "not_running"
    ENDED = "ended"
    BUSY = "busy"
    NOT_FOUND = "not_found"
