"""The audit trail: its events, changes of settings, and what the seals say of each day."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A setting that was changed, with its values as JSON; durations are seconds."""

    setting: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """`actor` is the name that the caller gave, `login` the database login. `day`: its seal, None before."""

    id: int
    at: datetime
    cause: str
    job: UUID | None
    run: UUID | None
    queue: str | None
    from_state: str | None
    to_state: str | None
    attempt: int | None
    worker: UUID | None
    actor: str | None
    login: str
    reason: str | None
    detail: dict[str, Any]
    day: date | None


class DayStatus(StrEnum):
    """`pruned`: its events were deleted because of their age. `unsealed`: not over, or not sealed yet."""

    INTACT = "intact"
    BROKEN = "broken"
    PRUNED = "pruned"
    UNSEALED = "unsealed"


@dataclass(frozen=True, slots=True)
class AuditDay:
    """A day of the trail compared with its seal; without a day: an expected seal that no day has."""

    day: date | None
    events: int | None
    status: DayStatus
    problem: str | None
    seal: str | None
