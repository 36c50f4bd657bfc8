"""A job that is about to be stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from holdfast.model.payload import JsonText

Wire = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NewJob:
    """`options` are in the form of the SQL verb; the jobs of one task share them, so comparing is cheap."""

    task: str
    payload: JsonText
    options: Wire

    @property
    def queue(self) -> str:
        return str(self.options["queue"])

    @property
    def takes_locks(self) -> bool:
        """A unique or order key waits for other transactions; it must not hold up other callers."""
        return "unique_key" in self.options or "order_key" in self.options
