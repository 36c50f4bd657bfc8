"""The states of a job and the transitions between them, as data."""

from enum import StrEnum


class State(StrEnum):
    """Four live states and four ends."""

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

_BY_HAND = frozenset({State.COMPLETED, State.CANCELLED, State.DEAD})
_BACK_TO_LIFE = frozenset({State.WAITING, State.SCHEDULED, State.READY})

TRANSITIONS: dict[State, frozenset[State]] = {
    # met, cancel, expiry, and complete or fail by an operator
    State.WAITING: frozenset({State.READY, State.SCHEDULED}) | _BY_HAND,
    # promote, cancel, expiry, and complete or fail by an operator
    State.SCHEDULED: frozenset({State.READY}) | _BY_HAND,
    # claim, a used-up budget, cancel, expiry, and complete or fail by an operator
    State.READY: frozenset({State.RUNNING, State.WAITING}) | _BY_HAND,
    # release · rescue · next stage, snooze · fail, children, and the four ends
    State.RUNNING: frozenset({State.READY, State.SCHEDULED, State.WAITING}) | ENDS,
    # replay, from any end
    State.COMPLETED: _BACK_TO_LIFE,
    State.REJECTED: _BACK_TO_LIFE,
    State.CANCELLED: _BACK_TO_LIFE,
    State.DEAD: _BACK_TO_LIFE,
}
