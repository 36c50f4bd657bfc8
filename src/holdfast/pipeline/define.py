"""The definition of a pipeline: its stages in order, each with its own queue."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol

from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import InvalidOption
from holdfast.model.openable_handler import OpenableHandler
from holdfast.model.retry import RetryPolicy
from holdfast.model.stage_routing import OnReject

LONGEST_NAME = 200
MOST_VISITS = 1000
# Settings that a stage removes from its queue when it no longer has them.
RESET: dict[str, Any] = {"retry": None, "max_failures": None, "max_concurrent": None, "endpoint": None}


class Named(Protocol):
    """A task; a stage stores only its name."""

    @property
    def name(self) -> str: ...


class Stage:
    """A stage of a pipeline: its task, and the policy of its queue.

    `queue` is `<pipeline>.<stage>` unless given. `output` is a type that its output must fit: a pydantic
    model, a dataclass, or anything else that pydantic knows. `max_visits` bounds how often a job may enter
    it, so that loops end. `on_reject` says what a rejection does: "end" (as rejected), "retry", or "dead".
    """

    __slots__ = (
        "endpoint",
        "group",
        "max_concurrent",
        "max_failures",
        "max_visits",
        "name",
        "on_reject",
        "output",
        "queue",
        "retry",
        "task",
        "timeout",
    )

    def __init__(
        self,
        name: str,
        *,
        task: Named | str,
        queue: str | None = None,
        endpoint: str | None = None,
        group: str | None = None,
        max_concurrent: int | None = None,
        retry: RetryPolicy | str | Mapping[str, Any] | Iterable[Duration] | None = None,
        max_failures: int | None = None,
        timeout: Duration | None = None,
        output: Any = None,
        max_visits: int = 10,
        on_reject: OnReject | str = OnReject.END,
    ) -> None:
        self.name = name
        self.task = _task_name(name, task)
        self.queue = queue
        self.endpoint = endpoint
        self.group = group
        self.max_concurrent = max_concurrent
        self.retry = None if retry is None else RetryPolicy.parse(retry)
        self.max_failures = max_failures
        self.timeout: timedelta | None = None if timeout is None else parse_duration(timeout)
        self.output = output
        self.max_visits = max_visits
        self.on_reject = _on_reject(name, on_reject)
        _check(self)

    def __repr__(self) -> str:
        return f"<Stage {self.name}>"

    def wire(self) -> dict[str, Any]:
        """What is stored and versioned: the path of a job, not the policy of the queue."""
        given = {
            "name": self.name,
            "task": self.task,
            "queue": self.queue,
            "endpoint": self.endpoint,
            "group": self.group,
            "timeout": None if self.timeout is None else self.timeout.total_seconds(),
            "max_visits": self.max_visits,
            "on_reject": self.on_reject.value,
        }
        return {name: value for name, value in given.items() if value is not None}

    def policy(self) -> dict[str, Any]:
        """The policy of its queue, in the form of declare_queue."""
        given = {
            "retry": None if self.retry is None else self.retry.to_json(),
            "max_failures": self.max_failures,
            "max_concurrent": self.max_concurrent,
            "endpoint": self.endpoint,
        }
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True, slots=True)
class StagePlace:
    """The queue and stage by which a claimed job is recognised."""

    queue: str
    stage: str


class Pipeline:
    """Stages in order. Jobs finish on the version that they started with."""

    __slots__ = ("name", "stages")

    def __init__(self, name: str, stages: Iterable[Stage]) -> None:
        self.name = name
        self.stages = tuple(stages)
        _check_name("pipeline", name)
        if not self.stages:
            raise InvalidOption(f"The pipeline {name} has no stages.", "add at least one Stage")
        names = [stage.name for stage in self.stages]
        twice = {one for one in names if names.count(one) > 1}
        if twice:
            raise InvalidOption(
                f"The pipeline {name} has two stages with the name {min(twice)}.", "rename one of them"
            )

    def __repr__(self) -> str:
        return f"<Pipeline {self.name}>"

    def queue_of(self, stage: Stage) -> str:
        return stage.queue or f"{self.name}.{stage.name}"[:LONGEST_NAME]

    @property
    def queues(self) -> dict[str, dict[str, Any]]:
        """The queues of its stages with their policies."""
        return {self.queue_of(stage): stage.policy() for stage in self.stages}

    @property
    def places(self) -> dict[StagePlace, Stage]:
        return {StagePlace(self.queue_of(stage), stage.name): stage for stage in self.stages}

    def wire(self) -> dict[str, Any]:
        """In the form of declare_pipeline."""
        return {"stages": [stage.wire() for stage in self.stages]}


def _task_name(stage: str, task: Named | str) -> str:
    if isinstance(task, OpenableHandler):
        raise InvalidOption(
            f"Stage {stage} needs a function with @app.task, or the name of a task (got {task!r}).",
            "to use an agent, register it first: task = app.task()(Agent(…))",
        )
    return task if isinstance(task, str) else task.name


def _check(stage: Stage) -> None:
    _check_name("stage", stage.name)
    visits: object = stage.max_visits
    if isinstance(visits, bool) or not isinstance(visits, int) or not 1 <= visits <= MOST_VISITS:
        raise InvalidOption(
            f"max_visits of stage {stage.name} must be between 1 and {MOST_VISITS} (got {visits!r}).",
            "the default is 10 visits",
        )
    if stage.max_concurrent is not None and stage.max_concurrent < 1:
        raise InvalidOption(
            f"max_concurrent of stage {stage.name} must be at least 1 (got {stage.max_concurrent}).",
            "write 1 or more",
        )


def _check_name(what: str, name: object) -> None:
    if not isinstance(name, str) or not 1 <= len(name) <= LONGEST_NAME:
        raise InvalidOption(
            f"The name of a {what} must have 1 to {LONGEST_NAME} characters (got {name!r}).",
            "choose another name",
        )


def _on_reject(name: str, value: str) -> OnReject:
    try:
        return OnReject(value)
    except ValueError:
        raise InvalidOption(
            f"on_reject of stage {name} must be one of {', '.join(OnReject)} (got {value!r}).",
            "the default is end",
        ) from None
