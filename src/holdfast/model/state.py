"""The states of a job and the transitions between them, as data."""

from enum import StrEnum


class State(StrEnum):
    """Where a job stands: four live states and four ends."""

    WAITING = "waiting"
    SCHEDULED = "scheduled"
    READY = "ready"
    RUNNING = "running"
    COMPLETED = "completed"
    REJECTED = "rejected"
    CANCELLED = "cancelled"
    DEAD = "dead"

    @property
    def is_end(self) -> bool:
        return self in ENDS


ENDS = frozenset({State.COMPLETED, State.REJECTED, State.CANCELLED, State.DEAD})
LIVE = frozenset(State) - ENDS

_BACK_TO_LIFE = frozenset({State.WAITING, State.SCHEDULED, State.READY})

TRANSITIONS: dict[State, frozenset[State]] = {
    # met, cancel, expiry
    State.WAITING: frozenset({State.READY, State.SCHEDULED, State.CANCELLED, State.DEAD}),
    # promote, cancel, expiry
    State.SCHEDULED: frozenset({State.READY, State.CANCELLED, State.DEAD}),
    # claim, cancel, expiry
    State.READY: frozenset({State.RUNNING, State.CANCELLED, State.DEAD}),
    # release · rescue · next stage, snooze · fail, children, and the four ends
    State.RUNNING: frozenset({State.READY, State.SCHEDULED, State.WAITING}) | ENDS,
    # replay, from any end
    State.COMPLETED: _BACK_TO_LIFE,
    State.REJECTED: _BACK_TO_LIFE,
    State.CANCELLED: _BACK_TO_LIFE,
    State.DEAD: _BACK_TO_LIFE,
}
