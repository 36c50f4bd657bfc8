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
