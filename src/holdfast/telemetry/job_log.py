"""Which attempt a log record belongs to: known in the handler's task, thread and child process."""

import logging
from contextvars import ContextVar
from typing import Protocol

from holdfast.model.job import ClaimedJob


class RunningAttempt(Protocol):
    @property
    def job(self) -> ClaimedJob: ...


# Set by the worker around each attempt. Threads and tasks that a handler starts inherit it by their context.
running_attempt: ContextVar[RunningAttempt | None] = ContextVar("holdfast_attempt", default=None)


class JobLogFilter(logging.Filter):
    """Adds `job`, `task` and `attempt` to records, for a handler of logging; None outside a job.

    `handler.addFilter(JobLogFilter())` makes `%(job)s` usable in its format. The command `holdfast worker`
    does that for its own handler.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        attempt, known = running_attempt.get(), vars(record)
        known.setdefault("job", None if attempt is None else attempt.job.id)
        known.setdefault("task", None if attempt is None else attempt.job.task)
        known.setdefault("attempt", None if attempt is None else attempt.job.attempt)
        return True
