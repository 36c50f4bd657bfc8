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
    from holdfast.model.error import HoldfastError, JobFailed, Timeout
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
    "Call",
    "Cancelled",
    "ChildFailed",
    "EndpointFailed",
    "HandlerSignal",
    "Holdfast",
    "HoldfastError",
    "Job",
    "JobContext",
    "JobFailed",
    "JobHandle",
    "Permanent",
    "Pipeline",
    "PipelineHandle",
    "RateLimited",
    "Reject",
    "Retry",
    "RetryPolicy",
    "Run",
    "Snooze",
    "Stage",
    "State",
    "Task",
    "Timeout",
    "WaitTimeout",
    "WorkReport",
    "Worker",
    "WorkerPlan",
    "Yield",
]

_HOMES = {
    "Advance": "model.route",
    "Agent": "agent.agent",
    "Call": "client.task",
    "Cancelled": "model.signal",
    "ChildFailed": "model.signal",
    "EndpointFailed": "model.signal",
    "HandlerSignal": "model.signal",
    "Holdfast": "client.app",
    "HoldfastError": "model.error",
    "Job": "model.job",
    "JobContext": "worker.context",
    "JobFailed": "model.error",
    "JobHandle": "client.handle",
    "Permanent": "model.signal",
    "Pipeline": "pipeline.define",
    "PipelineHandle": "client.pipeline",
    "RateLimited": "model.signal",
    "Reject": "model.signal",
    "Retry": "model.signal",
    "RetryPolicy": "model.retry",
    "Run": "client.run",
    "Snooze": "model.signal",
    "Stage": "pipeline.define",
    "State": "model.state",
    "Task": "client.task",
    "Timeout": "model.error",
    "WaitTimeout": "model.signal",
    "WorkReport": "worker.report",
    "Worker": "worker.worker",
    "WorkerPlan": "client.plan",
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
