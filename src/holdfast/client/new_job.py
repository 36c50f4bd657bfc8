"""A job that is about to be stored."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from holdfast.client.enqueue_options import Wire
from holdfast.model.job import Enqueued
from holdfast.model.payload import JsonText


class NewJob(NamedTuple):
    """`options` are in the form of the SQL verb; the jobs of one task share them, so comparing is cheap.

    A tuple, because a bulk creates many: a frozen dataclass takes several times as long to create.
    """

    task: str
    payload: JsonText
    options: Wire

    @property
    def queue(self) -> str:
        """Where it goes unless a rule in the database chooses another queue."""
        queue: str = self.options.get("queue") or self.options["default_queue"]
        return queue


def queues_of(jobs: Iterable[NewJob]) -> set[str]:
    return {job.queue for job in jobs}


def woken_by(jobs: Sequence[NewJob], stored: Sequence[Enqueued]) -> set[str]:
    """The queues in which they stand, so whose workers are to be woken."""
    routes = {one.route for one in stored}
    if routes == {None}:
        return queues_of(jobs)
    return {one.route or job.queue for job, one in zip(jobs, stored, strict=True)}
