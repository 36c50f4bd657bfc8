"""The name of everything that Holdfast says about itself."""

from enum import StrEnum


class Event(StrEnum):
    EMBEDDED_STARTED = "embedded.started"
    MIGRATION_APPLIED = "migration.applied"
    FUNCTIONS_INSTALLED = "migration.functions_installed"
    MIGRATION_WAITED = "migration.waited_for_lock"
    LISTENER_CONNECTED = "listener.connected"
    LISTENER_LOST = "listener.lost"
    NOTIFY_FAILED = "notify.failed"
    RUN_LEFT_OPEN = "run.left_open"
    CONNECTION_LOST = "connection.lost"
    CONNECTION_BACK = "connection.back"
    WORKER_STARTED = "worker.started"
    WORKER_STOPPING = "worker.stopping"
    WORKER_STOPPED = "worker.stopped"
    LEASE_ENDED = "lease.ended"
    LEASE_BACK = "lease.back"
    JOBS_TAKEN = "lease.jobs_taken"
    ENDS_LOST = "job.ends_lost"
    END_REFUSED = "job.end_refused"
    ORPHANS_RELEASED = "job.orphans_released"
    UNKNOWN_TASK = "job.unknown_task"
    HANDLER_SPOKE_LATE = "job.handler_spoke_late"
    CHORE_FAILED = "chore.failed"
    CHORE_DONE = "chore.done"
