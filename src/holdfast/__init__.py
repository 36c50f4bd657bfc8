"""Holdfast: a durable job queue on PostgreSQL. Names are loaded at first use, so that the import is quick."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast.client.app import Holdfast
    from holdfast.client.handle import JobHandle
    from holdfast.client.run import Run
    from holdfast.client.task import Call, Task
    from holdfast.model.error import HoldfastError, JobFailed, Timeout
    from holdfast.model.job import Job
    from holdfast.model.retry import RetryPolicy
    from holdfast.model.signal import Cancelled, Permanent, RateLimited, Reject, Retry, Snooze
    from holdfast.model.state import State
    from holdfast.worker.context import JobContext
    from holdfast.worker.worker import Worker

__all__ = [
    "Call",
    "Cancelled",
    "Holdfast",
    "HoldfastError",
    "Job",
    "JobContext",
    "JobFailed",
    "JobHandle",
    "Permanent",
    "RateLimited",
    "Reject",
    "Retry",
    "RetryPolicy",
    "Run",
    "Snooze",
    "State",
    "Task",
    "Timeout",
    "Worker",
]

_HOMES = {
    "Call": "client.task",
    "Cancelled": "model.signal",
    "Holdfast": "client.app",
    "HoldfastError": "model.error",
    "Job": "model.job",
    "JobContext": "worker.context",
    "JobFailed": "model.error",
    "JobHandle": "client.handle",
    "Permanent": "model.signal",
    "RateLimited": "model.signal",
    "Reject": "model.signal",
    "Retry": "model.signal",
    "RetryPolicy": "model.retry",
    "Run": "client.run",
    "Snooze": "model.signal",
    "State": "model.state",
    "Task": "client.task",
    "Timeout": "model.error",
    "Worker": "worker.worker",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
    value = getattr(import_module(f"holdfast.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
