"""Saved partial work of a job, as readers see it."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """`size`: bytes of its data. `value`: the data as text, redacted, and cut after 8 KiB."""

    name: str
    attempt: int
    saved_at: datetime
    size: int
    value: str
