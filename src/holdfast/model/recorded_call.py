"""A call of a model or a tool that a job made."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class CallKind(StrEnum):
    MODEL = "model"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class NewCall:
    """A call that has just ended, as it is recorded."""

    kind: CallKind
    name: str
    seconds: float
    units: float | None = None
    finish_reason: str | None = None
    argument_bytes: int | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A recorded call; `seq` counts within the visit of a stage."""

    generation: int
    visit: int
    seq: int
    attempt: int
    kind: CallKind
    name: str
    units: float | None
    seconds: float
    finish_reason: str | None
    argument_bytes: int | None
    error: str | None
    at: datetime
    cost: float | None
