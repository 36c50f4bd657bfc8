"""A pipeline of an app, for enqueuing its jobs."""

from collections.abc import Iterable, Mapping
from typing import Any, Self, Unpack

from holdfast.client.bulk import OnProgress
from holdfast.client.connection_pools import Links
from holdfast.client.enqueue_options import GivenOptions
from holdfast.client.job_handle import JobHandle
from holdfast.client.task import Call, Task
from holdfast.model.error import InvalidOption, UnknownTask
from holdfast.pipeline.define import Pipeline


class PipelineHandle:
    """Returned by `app.pipeline(…)`. Its jobs start at the first stage, with the payload of that stage's
    task.
    """

    __slots__ = ("_given", "_links", "_tasks", "pipeline")

    def __init__(
        self,
        pipeline: Pipeline,
        tasks: Mapping[str, Task[..., Any]],
        links: Links,
        given: GivenOptions | None = None,
    ) -> None:
        self.pipeline = pipeline
        self._tasks = tasks
        self._links = links
        self._given: GivenOptions = given or {}

    def __repr__(self) -> str:
        return f"<PipelineHandle {self.name}>"

    @property
    def name(self) -> str:
        return self.pipeline.name

    def options(self, **given: Unpack[GivenOptions]) -> Self:
        """The same pipeline with options for its next jobs; they apply in all stages."""
        merged: GivenOptions = {**self._given, **given}
        return type(self)(self.pipeline, self._tasks, self._links, merged)

    def call(self, *args: Any, **kwargs: Any) -> Call[Any]:
        """A job to enqueue later, together with others."""
        return self._entry().call(*args, **kwargs)

    async def enqueue(self, *args: Any, **kwargs: Any) -> JobHandle[Any]:
        """Store a job at the first stage; when this returns, it is durable."""
        return self._plain(await self._entry().enqueue(*args, **kwargs))

    def enqueue_sync(self, *args: Any, **kwargs: Any) -> JobHandle[Any]:
        """The same for code without an event loop."""
        return self._plain(self._entry().enqueue_sync(*args, **kwargs))

    async def enqueue_many(
        self, calls: Iterable[Call[Any]], *, progress: OnProgress | None = None
    ) -> list[JobHandle[Any]]:
        """Store a job for each of `calls`, all in one transaction."""
        return [self._plain(one) for one in await self._entry().enqueue_many(calls, progress=progress)]

    def _entry(self) -> Task[..., Any]:
        """The task of the first stage, with options that send its jobs into the pipeline."""
        first = self.pipeline.stages[0]
        if first.task not in self._tasks:
            raise UnknownTask(
                f"The app has no task {first.task}, which the first stage of the pipeline {self.name} needs.",
                "import the module that defines the task",
            )
        # The stage decides the queue; it is named here so that the right workers are woken.
        way: GivenOptions = {"pipeline": self.name, "queue": self.pipeline.queue_of(first)}
        return self._tasks[first.task].options(**self._given).options(**way)

    def _plain(self, handle: JobHandle[Any]) -> JobHandle[Any]:
        """The output of a pipeline is not that of its first stage's task."""
        return JobHandle(self._links, handle.id, handle.created, None)


def check_places(pipeline: Pipeline, others: Iterable[Pipeline]) -> None:
    """Refuses two stages with one name in one queue: a worker could not distinguish their jobs."""
    for other in others:
        shared = pipeline.places.keys() & other.places.keys() if other.name != pipeline.name else set()
        for place in shared:
            raise InvalidOption(
                f"The pipelines {pipeline.name} and {other.name} both have a stage {place.stage} in the "
                "same queue.",
                "give one of the stages another name or queue",
            )
