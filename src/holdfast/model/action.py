"""Bulk operator actions that access keys ask for over HTTP; each is a job of the queue `holdfast`."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from holdfast.model.id import JobId


class ActionName(StrEnum):
    CANCEL = "cancel"
    REPLAY = "replay"
    RECLAIM = "reclaim"
    COMPLETE = "complete"
    FAIL = "fail"
    SET_PRIORITY = "set_priority"
    REPLAY_DEAD_LETTERS = "replay_dead_letters"
    RESOLVE_DEAD_LETTERS = "resolve_dead_letters"
    MOVE = "move"

    @property
    def is_on_letters(self) -> bool:
        """Whether its filter is one of dead letters."""
        return self in (ActionName.REPLAY_DEAD_LETTERS, ActionName.RESOLVE_DEAD_LETTERS)


@dataclass(frozen=True, slots=True)
class ActionStep:
    """The database's permission for one step. `actor`: the access key; `allowed`: of the jobs that the step
    is about, those in the key's scope.
    """

    actor: str
    asked_at: datetime
    is_cancelled: bool
    allowed: list[JobId] | None
