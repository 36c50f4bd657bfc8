"""Calls of several tasks, enqueued together."""

from collections import deque
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
        self._tasks: deque[Task[..., Any]] = deque()  # of the calls that have no handle yet

    def jobs(self) -> Iterator[NewJob]:
        for call in self._calls:
            self._tasks.append(require_call(call).task)
            yield call.job

    def handle(self, stored: Enqueued) -> JobHandle[Any]:
        """Of the next call."""
        return self._tasks.popleft().handle(stored)
