"""The reports of a worker's attempts: the newest of each is kept in memory, and all are sent together.

However often handlers report, one statement in half a second carries what is new. An attempt that ends takes
its last report along with its end, in the statement that settles it.
"""

from collections.abc import Callable, Sequence, Set

from holdfast.db.statement import Executor
from holdfast.db.worker import report_progress
from holdfast.model.error import DatabaseUnavailable, HoldfastError, Timeout
from holdfast.model.id import JobId
from holdfast.model.outcome import End, with_progress
from holdfast.model.payload import JsonText
from holdfast.model.progress_report import NotReported, ProgressReport
from holdfast.worker.attempt.running_attempt import Attempt
from holdfast.worker.progress.attempt_progress import AttemptProgress

# Of attempts per statement; the others follow with the next one.
_MOST_SENT = 1000

Batch = Sequence[tuple[Attempt, AttemptProgress]]


class ProgressReports:
    """Changed only in the worker's event loop."""

    def __init__(self, running: Set[Attempt], on_news: Callable[[], None]) -> None:
        """`on_news`: called when there is a report to send, so that `send` runs soon."""
        self._running = running
        self._on_news = on_news
        self._waiting: dict[Attempt, None] = {}  # in the order of their reports

    def add(self, attempt: Attempt, report: ProgressReport) -> bool:
        """False if the attempt has ended, or the database has answered that its job was taken away."""
        if attempt.is_lost or attempt not in self._running:
            return False
        if attempt.progress is None:
            attempt.progress = AttemptProgress()
        attempt.progress.add(report)
        if not self._waiting:
            self._on_news()
        self._waiting[attempt] = None
        return True

    def last_report(self, attempt: Attempt) -> JsonText | None:
        """What the database may not have yet: also what a statement that has no answer yet carries, because
        the end may overtake it.
        """
        progress = attempt.progress
        return progress.json() if progress is not None and progress.has_news else None

    def ended(self, attempt: Attempt, end: End) -> End:
        """The end with the last report. Called once for an attempt that has reported."""
        self._waiting.pop(attempt, None)
        report = self.last_report(attempt)
        return end if report is None else with_progress(end, report)

    async def send(self, on: Executor) -> int:
        """A maintenance task: one statement for all attempts with news."""
        batch = [(one, one.progress) for one in list(self._waiting)[:_MOST_SENT] if one.progress is not None]
        if not batch:
            return 0
        counts = [progress.reports for _, progress in batch]
        try:
            missed = await _send(on, batch)
        except HoldfastError as exc:
            if not isinstance(exc, DatabaseUnavailable | Timeout):
                self._drop(batch)  # refused, and would be again; their ends carry what comes later
            raise
        for (attempt, progress), count in zip(batch, counts, strict=True):
            result = missed.get(attempt.job.id)
            attempt.is_lost = attempt.is_lost or result is NotReported.LOST
            if result is not NotReported.BUSY:
                progress.stored = count
            if attempt.is_lost or not progress.has_news:
                self._waiting.pop(attempt, None)
        if self._waiting:
            self._on_news()
        return len(batch)

    def _drop(self, batch: Batch) -> None:
        for attempt, _ in batch:
            self._waiting.pop(attempt, None)


async def _send(on: Executor, batch: Batch) -> dict[JobId, NotReported]:
    ids = [attempt.job.id for attempt, _ in batch]
    tokens = [attempt.job.token for attempt, _ in batch]
    return await report_progress(on, ids, tokens, [progress.json() for _, progress in batch])
