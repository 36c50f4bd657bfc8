"""How long handlers wait for the database, by queue and task."""

from collections.abc import Awaitable
from time import monotonic
from typing import TypeVar

from holdfast.model.job import ClaimedJob

T = TypeVar("T")


class DatabaseTime:
    """Since the start of the worker. Handlers add to it in the loop; the thread of the lease reads it."""

    def __init__(self) -> None:
        self._seconds: dict[str, dict[str, float]] = {}

    async def of(self, job: ClaimedJob, statement: Awaitable[T]) -> T:
        """The result of the statement that the handler of this job waits for."""
        began = monotonic()
        try:
            return await statement
        finally:
            tasks = self._seconds.setdefault(job.queue, {})
            tasks[job.task] = tasks.get(job.task, 0.0) + monotonic() - began

    def told(self) -> dict[str, dict[str, float]]:
        return {queue: dict(tasks) for queue, tasks in list(self._seconds.items())}
