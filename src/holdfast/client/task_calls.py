"""Calls of several tasks, enqueued together."""

from collections.abc import Iterable, Iterator
from typing import Any

from holdfast.client.job_handle import JobHandle
from holdfast.client.new_job import NewJob
from holdfast.client.task import Call, Task, require_call
from holdfast.model.job import Enqueued


class Calls:
    """Reads the calls once and keeps the task of each: a handle needs its task's output type."""

    def __init__(self, calls: Iterable[Call[Any]]) -> None:
        self._calls = calls
        self._tasks: list[Task[..., Any]] = []

    def jobs(self) -> Iterator[NewJob]:
        for call in self._calls:
            self._tasks.append(require_call(call).task)
            yield call.job

    def handles(self, stored: list[Enqueued]) -> list[JobHandle[Any]]:
        return [task.handle(one) for task, one in zip(self._tasks, stored, strict=True)]
