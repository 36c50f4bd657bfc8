"""What a hook of `app.on_event` gets: one event with its fields."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class LogEvent:
    """`name` and `fields` as in docs/events.md; `level` as in logging.

    `exception`: what the handler raised, in events of failed attempts. None in process mode, where the
    exception stays in the child process.
    """

    name: str
    level: int
    at: datetime
    fields: Mapping[str, Any]
    exception: BaseException | None = None

    @property
    def job(self) -> UUID | None:
        return self.fields.get("job")

    @property
    def task(self) -> str | None:
        return self.fields.get("task")

    @property
    def attempt(self) -> int | None:
        return self.fields.get("attempt")
