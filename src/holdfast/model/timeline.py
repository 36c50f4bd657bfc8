"""Why a job is in its state, and its timeline."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Blocker:
    """Why a job is not running; `blocks` is false for additional information."""

    blocker: str
    detail: str
    until: datetime | None
    blocks: bool


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    at: datetime
    what: str
    attempt: int | None
    actor: str | None
    words: str | None
    detail: dict[str, Any]
