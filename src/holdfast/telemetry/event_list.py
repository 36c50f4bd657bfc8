"""The list of all log events: name, level, meaning and fields. The log and the hooks know no others."""

from enum import StrEnum
from logging import DEBUG, ERROR, INFO, WARNING

_JOB = "job task queue attempt worker"
_ENDED = f"{_JOB} seconds"
_ERROR = "class error because place"


class Event(StrEnum):
    """A member's value is the event's name."""

    level: int
    meaning: str
    fields: tuple[str, ...]

    def __new__(cls, name: str, level: int, meaning: str, fields: str) -> "Event":
        self = str.__new__(cls, name)
        self._value_ = name
        self.level, self.meaning, self.fields = level, meaning, tuple(fields.split())
        return self

    # Jobs: each attempt that starts, and each end after the database has recorded it.
    JOB_STARTED = "job.started", DEBUG, "A worker starts an attempt.", _JOB
    JOB_COMPLETED = "job.completed", DEBUG, "An attempt completed the job.", _ENDED
    JOB_ADVANCED = (
        "job.advanced",
        DEBUG,
        "An attempt completed a stage of a pipeline, perhaps the last.",
        _ENDED,
    )
    JOB_WAITING = "job.waiting", DEBUG, "The job waits for a signal or for its children.", _ENDED
    JOB_FAILED = (
        "job.failed",
        WARNING,
        "An attempt failed, and the job is retried at the time `retry_at`.",
        f"{_ENDED} {_ERROR} retry_at next",
    )
    JOB_DEAD = (
        "job.dead",
        ERROR,
        "An attempt failed, and the job is now a dead letter, for `reason`.",
        f"{_ENDED} {_ERROR} reason traceback",
    )
    JOB_DEFERRED = (
        "job.deferred",
        INFO,
        "An attempt ended without result or failure; the job runs again later.",
        f"{_ENDED} {_ERROR} retry_at delay",
    )
    JOB_REJECTED = "job.rejected", INFO, "The handler rejected the job.", f"{_ENDED} {_ERROR}"
    JOB_CANCELLED = (
        "job.cancelled",
        INFO,
        "An attempt stopped because the job is cancelled.",
        f"{_ENDED} {_ERROR}",
    )
    JOB_LOST = (
        "job.lost",
        WARNING,
        "The worker no longer held the job, so the end of its attempt changed nothing.",
        _ENDED,
    )
    END_REFUSED = (
        "job.end_refused",
        ERROR,
        "The database refused the values of an end; the job is a dead letter.",
        "job because",
    )
    UNKNOWN_TASK = "job.unknown_task", ERROR, "The app has no handler for this task.", "task"
    CLASSIFY_FAILED = "job.classify_failed", ERROR, "A task's own rules for errors raised.", "task because"
    CALL_NOT_RECORDED = (
        "job.call_not_recorded",
        WARNING,
        "A call of a model or tool could not be recorded.",
        "call because",
    )
    LATE_EXCEPTION = "job.late_exception", WARNING, "A handler raised after its job had ended.", "job error"
    DID_NOT_STOP = (
        "job.did_not_stop",
        WARNING,
        "A handler did not stop when it was cancelled; its job is released.",
        "job task",
    )

    # Endpoints, as a worker sees them between two looks.
    CIRCUIT_CHANGED = (
        "endpoint.circuit_changed",
        WARNING,
        "The circuit of an endpoint changed; `open`: no call starts.",
        "endpoint circuit before limit until",
    )
    LIMIT_CHANGED = (
        "endpoint.limit_changed",
        DEBUG,
        "The limit of an endpoint changed.",
        "endpoint limit before",
    )

    # The worker.
    WORKER_STARTED = "worker.started", INFO, "The worker is registered and claims jobs.", "worker queues"
    FLAG_APPLIED = (
        "worker.flag_applied",
        INFO,
        "The worker follows a flag: its `slots` or `claim_size` changed.",
        "worker flag before after source",
    )
    WORKER_WAITS = "worker.waits_for_jobs", INFO, "A draining worker waits for these jobs.", "worker jobs"
    METRICS_SERVED = "metrics.served", INFO, "The worker serves its figures at `url`.", "worker url"
    WORKER_STOPPING = "worker.stopping", INFO, "The worker claims no more jobs.", "worker running"
    WORKER_STOPPED = "worker.stopped", INFO, "The worker has exited.", "worker processed"
    WORKER_FAILED = "worker.failed", ERROR, "The worker inside a server ended with an error.", "because"
    WORKER_NOT_UNREGISTERED = (
        "worker.not_unregistered",
        ERROR,
        "The worker could not sign off; its lease runs out instead.",
        "worker because",
    )
    LOOP_RESTARTED = "worker.loop_restarted", ERROR, "A handler ended the event loop; it goes on.", "because"
    CANCEL_REFUSED = (
        "worker.cancel_refused",
        WARNING,
        "A handler tried to cancel a task of the worker.",
        "task by",
    )
    TASK_LEFT = (
        "worker.task_left",
        WARNING,
        "A handler left an asyncio task that did not end.",
        "task coroutine",
    )
    JOBS_NOT_RELEASED = (
        "worker.jobs_not_released",
        WARNING,
        "Jobs could not be released at the end of the time box.",
        "worker because",
    )
    ORPHANS_RELEASED = (
        "worker.orphans_released",
        WARNING,
        "The worker released jobs that it holds and does not run.",
        "count",
    )
    SETTLE_FAILED = "worker.settle_failed", DEBUG, "Ends could not be sent; they are sent again.", "because"
    JOBS_RESCUED = (
        "worker.rescued_jobs",
        INFO,
        "The worker took over jobs of workers that disappeared.",
        "recovered dead runs",
    )
    SUSPECT_WORKER_STARTED = (
        "suspect.worker_started",
        INFO,
        "A separate worker for suspects starts.",
        "child queue",
    )
    SUSPECT_WORKER_ENDED = "suspect.worker_ended", INFO, "A worker for suspects exited.", "child code"
    HOOK_FAILED = "hook.failed", ERROR, "A callback of `app.on_event` raised.", "heard hook because"
    HOOKS_DROPPED = (
        "hook.events_dropped",
        WARNING,
        "The queue of the hooks was full, or did not empty at the end.",
        "count",
    )
    LOGS_DROPPED = (
        "log.parts_dropped",
        WARNING,
        "Parts of handlers' logs were not stored: the database refused them or did not answer for long.",
        "count",
    )

    TRACE_FAILED = "trace.failed", ERROR, "The tracer raised; the attempt runs without a span.", "job because"

    # Its lease, connections and maintenance.
    LEASE_NOT_RENEWED = "lease.not_renewed", DEBUG, "A heartbeat failed; it is repeated.", "because"
    LEASE_EXPIRED = "lease.expired", WARNING, "The lease could not be renewed in time; jobs stop.", "worker"
    LEASE_RESTORED = "lease.restored", INFO, "The lease is held again.", "worker"
    JOBS_TAKEN = (
        "lease.jobs_taken",
        WARNING,
        "Other workers have taken over jobs of this worker.",
        "worker running",
    )
    CONNECTION_LOST = "connection.lost", WARNING, "A database connection broke.", "name because"
    CONNECTION_RESTORED = "connection.restored", INFO, "A database connection works again.", "name"
    LOCK_WAITS = (
        "lock.waits",
        WARNING,
        "A statement of the worker waits for a lock of another process.",
        "name seconds holder",
    )
    DECLARATION_DEFERRED = (
        "declaration.deferred",
        WARNING,
        "Settings of the app wait for a lock; they are sent later.",
        "what holder",
    )
    MAINTENANCE_FAILED = (
        "maintenance.failed",
        WARNING,
        "A maintenance task failed; it is repeated.",
        "task because",
    )
    MAINTENANCE_BLOCKED = (
        "maintenance.blocked",
        WARNING,
        "Another process has held up a maintenance task for long.",
        "task holder",
    )
    MAINTENANCE_DONE = "maintenance.done", DEBUG, "A maintenance task changed something.", "task count"

    # Schedules.
    SCHEDULE_FIRED = "schedule.fired", DEBUG, "A slot of a schedule made its job.", "schedule slot job"
    SCHEDULE_SKIPPED = (
        "schedule.skipped",
        INFO,
        "A slot made no job: it was missed, or the last one overlaps it.",
        "schedule slot because",
    )
    SCHEDULE_FAILED = (
        "schedule.failed",
        WARNING,
        "The job of a slot was refused; the slot is tried again after a minute.",
        "schedule slot because",
    )
    SCHEDULE_INVALID = (
        "schedule.invalid",
        WARNING,
        "The times of a schedule cannot be computed.",
        "schedule because",
    )

    # Resources and successors.
    RESOURCES_LOST = "resources.lost", ERROR, "The app's resources ended while they were in use.", "because"
    RESOURCES_NOT_CLOSED = "resources.not_closed", ERROR, "The app's resources did not close.", "because"
    CONTINUATION_SENT = "continuation.sent", INFO, "The worker requested its successor.", "continuation index"
    CONTINUATION_NOT_SENT = (
        "continuation.not_sent",
        WARNING,
        "The request for a successor failed.",
        "worker continuation because",
    )
    CONTINUATION_LOST = (
        "continuation.lost",
        WARNING,
        "A successor did not start; it is requested again.",
        "continuation cause",
    )
    CONTINUATION_TAKEN = (
        "continuation.taken_by_another",
        INFO,
        "Another worker has already taken this continuation.",
        "worker",
    )

    # The HTTP API.
    API_STARTED = "api.started", INFO, "The API takes requests at `url`.", "url"
    API_STOPPING = "api.stopping", INFO, "The API is about to stop; so many requests are open.", "requests"
    API_STOPPED = "api.stopped", INFO, "The API takes no more requests.", "url"
    REQUEST_ANSWERED = (
        "api.request",
        INFO,
        "The API answered a request; `key` is the access key's name.",
        "request method path status seconds key",
    )
    REQUEST_FAILED = "api.failed", ERROR, "The API could not answer a request.", "request path because"
    SHARED_READ_FAILED = "api.read_failed", WARNING, "A shared read failed; it is tried again.", "because"

    # The processes of `holdfast up`.
    PROCESS_FAILED = (
        "up.process_failed",
        ERROR,
        "A process ended by itself; it restarts in `restart_in` seconds, or after a change of the code.",
        "process process_pid code restart_in",
    )
    PROCESS_LEFT = (
        "up.process_left",
        INFO,
        "A process ended with status 0, as it was asked to.",
        "process process_pid",
    )
    CODE_CHANGED = "up.code_changed", INFO, "A .py file changed; all processes restart.", "file"

    # Producers and the database.
    NOTIFY_FAILED = "notify.failed", WARNING, "Idle workers could not be woken; they poll.", "queues because"
    RUN_LEFT_OPEN = "run.left_open", WARNING, "A run was not sealed after an error.", "run name because"
    EMBEDDED_STARTED = "embedded.started", DEBUG, "The embedded PostgreSQL runs.", "directory"
    MIGRATION_APPLIED = "migration.applied", INFO, "A migration is applied.", "migration"
    FUNCTIONS_INSTALLED = (
        "migration.functions_installed",
        INFO,
        "The SQL functions are installed.",
        "version files",
    )
    MIGRATION_WAITED = "migration.waited_for_lock", WARNING, "A migration waits for a lock.", "because"
