"""A job that is about to be stored."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from holdfast.model.payload import JsonText

Wire = Mapping[str, Any]


class NewJob(NamedTuple):
    """`options` are in the form of the SQL verb; the jobs of one task share them, so comparing is cheap.

    A tuple, since a bulk makes many: a frozen dataclass takes several times as long to make.
    """

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


def queues_of(jobs: Iterable[NewJob]) -> set[str]:
    """Looks only once at options that jobs share."""
    options = {id(job.options): job.options for job in jobs}
    return {str(one["queue"]) for one in options.values()}
