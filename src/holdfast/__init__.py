"""Holdfast: a durable job queue on PostgreSQL. All but its exceptions are loaded at first use, so that the
import is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from holdfast.model.end_attempt import (
    Cancelled,
    ChildFailed,
    EndAttempt,
    EndpointFailed,
    Permanent,
    RateLimited,
    Reject,
    Retry,
    Snooze,
    WaitTimeout,
    Yield,
)
from holdfast.model.error import (
    AccessDenied,
    BadHandler,
    Conflict,
    DatabaseBusy,
    DatabaseError,
    DatabaseUnavailable,
    HoldfastError,
    InvalidInput,
    InvalidOption,
    InvalidPayload,
    JobFailed,
    LeaseLost,
    ModelFailed,
    NotAuthenticated,
    NotConfigured,
    NotFound,
    PermissionDenied,
    SchemaAhead,
    SchemaBehind,
    SchemaDrifted,
    SchemaForeign,
    SchemaMismatch,
    Timeout,
    TooManyTurns,
    TransactionConflict,
    TransactionEnded,
    UniqueConflict,
    UnknownTask,
    WrongState,
)

if TYPE_CHECKING:
    from holdfast.agent.agent import Agent
    from holdfast.client.app import Holdfast
    from holdfast.client.job_handle import JobHandle
    from holdfast.client.pipeline import PipelineHandle
    from holdfast.client.run import Run
    from holdfast.client.task import Call, Task
    from holdfast.client.worker_plan import WorkerPlan
    from holdfast.model.job import Job
    from holdfast.model.retry import RetryPolicy
    from holdfast.model.stage_routing import Advance
    from holdfast.model.state import State
    from holdfast.pipeline.define import Pipeline, Stage
    from holdfast.telemetry.hook_event import LogEvent
    from holdfast.telemetry.job_log import JobLogFilter
    from holdfast.worker.context.job_context import JobContext
    from holdfast.worker.worker import Worker
    from holdfast.worker.worker_report import WorkReport

__all__ = [
    "AccessDenied",
    "Advance",
    "Agent",
    "BadHandler",
    "Call",
    "Cancelled",
    "ChildFailed",
    "Conflict",
    "DatabaseBusy",
    "DatabaseError",
    "DatabaseUnavailable",
    "EndAttempt",
    "EndpointFailed",
    "Holdfast",
    "HoldfastError",
    "InvalidInput",
    "InvalidOption",
    "InvalidPayload",
    "Job",
    "JobContext",
    "JobFailed",
    "JobHandle",
    "JobLogFilter",
    "LeaseLost",
    "LogEvent",
    "ModelFailed",
    "NotAuthenticated",
    "NotConfigured",
    "NotFound",
    "Permanent",
    "PermissionDenied",
    "Pipeline",
    "PipelineHandle",
    "RateLimited",
    "Reject",
    "Retry",
    "RetryPolicy",
    "Run",
    "SchemaAhead",
    "SchemaBehind",
    "SchemaDrifted",
    "SchemaForeign",
    "SchemaMismatch",
    "Snooze",
    "Stage",
    "State",
    "Task",
    "Timeout",
    "TooManyTurns",
    "TransactionConflict",
    "TransactionEnded",
    "UniqueConflict",
    "UnknownTask",
    "WaitTimeout",
    "WorkReport",
    "Worker",
    "WorkerPlan",
    "WrongState",
    "Yield",
]

_HOMES = {
    "Advance": "model.stage_routing",
    "Agent": "agent.agent",
    "Call": "client.task",
    "Holdfast": "client.app",
    "Job": "model.job",
    "JobContext": "worker.context.job_context",
    "JobHandle": "client.job_handle",
    "JobLogFilter": "telemetry.job_log",
    "LogEvent": "telemetry.hook_event",
    "Pipeline": "pipeline.define",
    "PipelineHandle": "client.pipeline",
    "RetryPolicy": "model.retry",
    "Run": "client.run",
    "Stage": "pipeline.define",
    "State": "model.state",
    "Task": "client.task",
    "WorkReport": "worker.worker_report",
    "Worker": "worker.worker",
    "WorkerPlan": "client.worker_plan",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
    value = getattr(import_module(f"holdfast.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
