"""A job that is about to be stored."""

from collections.abc import Iterable
from typing import NamedTuple

from holdfast.client.enqueue_options import Wire
from holdfast.model.payload import JsonText


class NewJob(NamedTuple):
    """`options` are in the form of the SQL verb; the jobs of one task share them, so comparing is cheap.

    A tuple, because a bulk creates many: a frozen dataclass takes several times as long to create.
    """

    task: str
    payload: JsonText
    options: Wire

    @property
    def takes_locks(self) -> bool:
        """An insert with a unique or order key may wait for other transactions; other callers must not wait
        with it.
        """
        return "unique_key" in self.options or "order_key" in self.options

    @property
    def queue(self) -> str:
        """Where it goes unless a rule in the database chooses another queue."""
        queue: str = self.options.get("queue") or self.options["default_queue"]
        return queue


def queues_of(jobs: Iterable[NewJob]) -> set[str]:
    return {job.queue for job in jobs}
