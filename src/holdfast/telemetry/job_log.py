"""Which job a log record belongs to: known in the handler's task, in its thread and in its child process."""

import logging
from contextvars import ContextVar

from holdfast.model.job import ClaimedJob

# Set by the worker around each attempt. Threads and tasks that a handler starts inherit it by their context.
running_job: ContextVar[ClaimedJob | None] = ContextVar("holdfast_job", default=None)


class JobLogFilter(logging.Filter):
    """Adds `job`, `task` and `attempt` to records, for a handler of logging; None outside a job.

    `handler.addFilter(JobLogFilter())` makes `%(job)s` usable in its format. The command `holdfast worker`
    does that for its own handler.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        job, known = running_job.get(), vars(record)
        known.setdefault("job", None if job is None else job.id)
        known.setdefault("task", None if job is None else job.task)
        known.setdefault("attempt", None if job is None else job.attempt)
        return True
