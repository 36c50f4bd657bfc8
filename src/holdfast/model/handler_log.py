"""Logs of handlers, as readers see them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class LogMode(StrEnum):
    """Which logs of its handlers a queue keeps. `errors`: those of attempts that do not succeed."""

    OFF = "off"
    ERRORS = "errors"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line that a handler logged; its text is redacted. `part` and `line`: its place in the log."""

    attempt: int
    part: int
    line: int
    at: datetime
    level: str
    logger: str
    message: str


@dataclass(frozen=True, slots=True)
class LogSummary:
    """How many lines of an attempt's log are kept."""

    attempt: int
    lines: int


@dataclass(frozen=True, slots=True)
class LogStorage:
    """The bytes of all logs, how many may be kept, and when the oldest had to go."""

    bytes: int
    max_bytes: int
    removed_at: datetime | None
    removed_to: datetime | None
