"""The settings of tasks and queues; only those that are given are sent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypedDict

from holdfast.client.enqueue_options import RetryRule
from holdfast.model.classify import STANDARD, Classifier
from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import InvalidOption
from holdfast.model.process_limits import ProcessLimits
from holdfast.model.retry import PRESETS, RetryPolicy

DEFAULT_QUEUE = "default"
SENT_WITH_JOBS = {
    "queue": "default_queue",
    "priority": "default_priority",
    "timeout": "timeout",
    "endpoint": "endpoint",
}


@dataclass(frozen=True, slots=True)
class TaskPolicy:
    """The defaults of a task's jobs; they override those of its queue."""

    queue: str = DEFAULT_QUEUE
    priority: int | None = None
    max_failures: int | None = None
    retry: RetryPolicy | None = None
    timeout: timedelta | None = None
    endpoint: str | None = None
    max_concurrent: int | None = None
    rate: str | None = None
    # Only for the worker; not sent:
    process: ProcessLimits | None = None
    classify: Classifier = STANDARD
    yields: bool = False
    # Only for Python producers:
    unique_key: Callable[..., str] | None = None
    unique_for: Duration | None = None

    def job_wire(self) -> dict[str, Any]:
        """Options that are fixed at enqueue are sent with each job, so that they apply before a worker has
        declared the task. Queue and priority are marked as defaults, because rules may choose others.
        """
        fixed = self.wire()
        return {sent: fixed[name] for name, sent in SENT_WITH_JOBS.items() if name in fixed}

    def wire(self) -> dict[str, Any]:
        given = {
            "queue": self.queue,
            "priority": self.priority,
            "max_failures": self.max_failures,
            "retry": None if self.retry is None else self.retry.to_json(),
            "timeout": None if self.timeout is None else self.timeout.total_seconds(),
            "endpoint": self.endpoint,
            "max_concurrent": self.max_concurrent,
            "rate": self.rate,
        }
        return {name: value for name, value in given.items() if value is not None}


class QueuePolicy(TypedDict, total=False):
    """The settings of a queue."""

    priority: int
    max_failures: int
    max_losses: int
    retry: RetryRule
    timeout: Duration
    max_wait: Duration
    rescue_delay: RetryRule | Duration  # after each loss; one duration is the same after every loss
    cancel_grace: Duration
    ageing: float
    weight: float
    detail: str
    logs: str  # of handlers: "off", "errors" (of attempts that do not succeed) or "all"
    retention: Duration
    payload_limit: int
    endpoint: str
    notify: bool
    max_concurrent: int | None  # concurrent jobs, across all workers
    rate: str | None  # claims in any period, across all workers: "100/minute"
    stats_label: str | None  # the label by whose values its ends are counted


class TaskChanges(TypedDict, total=False):
    """The settings of a task that an operator may change; None removes one."""

    queue: str | None
    priority: int | None
    max_failures: int | None
    retry: RetryRule | None
    timeout: Duration | None
    endpoint: str | None
    max_concurrent: int | None
    rate: str | None


_DURATIONS = frozenset({"timeout", "max_wait", "cancel_grace", "retention"})


def queue_wire(name: str, policy: Mapping[str, Any]) -> dict[str, Any]:
    """The policy in the form of declare_queue."""
    return _checked(f"The queue {name}", policy, QueuePolicy.__annotations__)


def task_wire(name: str, policy: Mapping[str, Any]) -> dict[str, Any]:
    """The policy in the form of set_task."""
    return _checked(f"The task {name}", policy, TaskChanges.__annotations__)


def _checked(whose: str, policy: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    unknown = policy.keys() - known.keys()
    if unknown:
        raise InvalidOption(
            f"{whose} has no setting {', '.join(sorted(unknown))}.",
            f"the settings are {', '.join(known)}",
        )
    return {key: _wire(key, value) for key, value in policy.items()}


def _wire(key: str, value: Any) -> Any:
    if value is None:
        return None
    if key in _DURATIONS:
        return parse_duration(value).total_seconds()
    if key == "retry":
        return RetryPolicy.parse(value).to_json()
    if key == "rescue_delay":
        return rescue_wire(value)
    return value


def rescue_wire(value: RetryRule | Duration) -> Any:
    """A retry policy, or one duration, in the form of declare_queue."""
    if isinstance(value, timedelta | int | float) or (isinstance(value, str) and value not in PRESETS):
        return parse_duration(value).total_seconds()
    return RetryPolicy.parse(value).to_json()
