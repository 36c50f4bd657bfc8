"""Holdfast: a durable job queue on PostgreSQL. Names are loaded at first use, so that the import is quick."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast.agent.agent import Agent
    from holdfast.client.app import Holdfast
    from holdfast.client.handle import JobHandle
    from holdfast.client.pipeline import PipelineHandle
    from holdfast.client.plan import WorkerPlan
    from holdfast.client.run import Run
    from holdfast.client.task import Call, Task
    from holdfast.model.error import (
        BadHandler,
        Conflict,
        DatabaseError,
        DatabaseUnavailable,
        HoldfastError,
        InvalidInput,
        InvalidOption,
        InvalidPayload,
        JobFailed,
        LeaseLost,
        ModelFailed,
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
    from holdfast.model.job import Job
    from holdfast.model.retry import RetryPolicy
    from holdfast.model.route import Advance
    from holdfast.model.signal import (
        Cancelled,
        ChildFailed,
        EndpointFailed,
        HandlerSignal,
        Permanent,
        RateLimited,
        Reject,
        Retry,
        Snooze,
        WaitTimeout,
        Yield,
    )
    from holdfast.model.state import State
    from holdfast.pipeline.define import Pipeline, Stage
    from holdfast.worker.context import JobContext
    from holdfast.worker.report import WorkReport
    from holdfast.worker.worker import Worker

__all__ = [
    "Advance",
    "Agent",
    "BadHandler",
    "Call",
    "Cancelled",
    "ChildFailed",
    "Conflict",
    "DatabaseError",
    "DatabaseUnavailable",
    "EndpointFailed",
    "HandlerSignal",
    "Holdfast",
    "HoldfastError",
    "InvalidInput",
    "InvalidOption",
    "InvalidPayload",
    "Job",
    "JobContext",
    "JobFailed",
    "JobHandle",
    "LeaseLost",
    "ModelFailed",
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
    "Advance": "model.route",
    "Agent": "agent.agent",
    "BadHandler": "model.error",
    "Call": "client.task",
    "Cancelled": "model.signal",
    "ChildFailed": "model.signal",
    "Conflict": "model.error",
    "DatabaseError": "model.error",
    "DatabaseUnavailable": "model.error",
    "EndpointFailed": "model.signal",
    "HandlerSignal": "model.signal",
    "Holdfast": "client.app",
    "HoldfastError": "model.error",
    "InvalidInput": "model.error",
    "InvalidOption": "model.error",
    "InvalidPayload": "model.error",
    "Job": "model.job",
    "JobContext": "worker.context",
    "JobFailed": "model.error",
    "JobHandle": "client.handle",
    "LeaseLost": "model.error",
    "ModelFailed": "model.error",
    "NotConfigured": "model.error",
    "NotFound": "model.error",
    "Permanent": "model.signal",
    "PermissionDenied": "model.error",
    "Pipeline": "pipeline.define",
    "PipelineHandle": "client.pipeline",
    "RateLimited": "model.signal",
    "Reject": "model.signal",
    "Retry": "model.signal",
    "RetryPolicy": "model.retry",
    "Run": "client.run",
    "SchemaAhead": "model.error",
    "SchemaBehind": "model.error",
    "SchemaDrifted": "model.error",
    "SchemaForeign": "model.error",
    "SchemaMismatch": "model.error",
    "Snooze": "model.signal",
    "Stage": "pipeline.define",
    "State": "model.state",
    "Task": "client.task",
    "Timeout": "model.error",
    "TooManyTurns": "model.error",
    "TransactionConflict": "model.error",
    "TransactionEnded": "model.error",
    "UniqueConflict": "model.error",
    "UnknownTask": "model.error",
    "WaitTimeout": "model.signal",
    "WorkReport": "worker.report",
    "Worker": "worker.worker",
    "WorkerPlan": "client.plan",
    "WrongState": "model.error",
    "Yield": "model.signal",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
    value = getattr(import_module(f"holdfast.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
