"""Bulk operator actions that access keys ask for over HTTP; each is a job of the queue `holdfast`."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from holdfast.model.id import JobId
from holdfast.model.job import JobProgress
from holdfast.model.state import State


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
class BulkAction:
    """`result`: how many jobs matched and what became of them, also while it runs. `problem`: why it ended
    without being done.
    """

    id: JobId
    action: ActionName
    state: State
    settings: dict[str, Any]
    reason: str
    actor: str | None
    created_at: datetime
    ended_at: datetime | None
    progress: JobProgress | None
    result: dict[str, Any] | None
    problem: str | None


@dataclass(frozen=True, slots=True)
class ActionStep:
    """The database's permission for one step. `actor`: the access key; `allowed`: of the jobs that the step
    is about, those in the key's scope.
    """

    actor: str
    asked_at: datetime
    is_cancelled: bool
    allowed: list[JobId] | None
