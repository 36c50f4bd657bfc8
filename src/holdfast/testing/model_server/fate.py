"""What can become of a call."""

from enum import StrEnum


class Fate(StrEnum):
    ANSWERED = "answered"
    REFUSED = "refused"  # it was wrong, or the answer callback refused it
    RATE_LIMITED = "rate_limited"
    OVER_MEMORY = "over_memory"
    OUTAGE = "outage"
    NOISE = "noise"
    ERROR_INSIDE = "error_inside"
    CUT = "cut"
    REPLICA_GONE = "replica_gone"
    CALLBACK_RAISED = "callback_raised"
    CLIENT_LEFT = "client_left"
    STOPPED = "stopped"  # the server ended first


class Interrupted(Exception):
    """A call under way loses its replica; without a status its connection breaks."""

    def __init__(self, fate: Fate, status: int | None, message: str) -> None:
        super().__init__(message)
        self.fate = fate
        self.status = status
        self.message = message
