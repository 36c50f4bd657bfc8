"""A task: the name that picks the handler, and the ways to enqueue jobs for it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, Self, TypeVar, Unpack

from holdfast.client.any_payload import AnyPayload
from holdfast.client.bulk import Bulk, OnProgress, length_of
from holdfast.client.handle import JobHandle
from holdfast.client.link import Links
from holdfast.client.new_job import NewJob
from holdfast.client.options import NONE, GivenOptions, JobOptions
from holdfast.client.own_connection import OwnConnection, run_blocking
from holdfast.client.policy import TaskPolicy
from holdfast.client.signature import Signature
from holdfast.client.sync import SyncLoop
from holdfast.model.classify import Classifier
from holdfast.model.error import InvalidInput
from holdfast.model.job import Enqueued
from holdfast.model.payload import JsonText, encode
from holdfast.model.process import ProcessLimits
from holdfast.model.surroundings import Surroundings

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Call(Generic[R]):
    """A call of a task that has not been enqueued yet; its payload is checked already."""

    task: "Task[..., R]"
    payload: JsonText

    @property
    def job(self) -> NewJob:
        return NewJob(self.task.name, self.payload, self.task.wire)


@dataclass(frozen=True, slots=True)
class Bindings:
    """What every form of a task shares."""

    handler: Callable[..., Any]
    signature: Signature | AnyPayload
    policy: TaskPolicy
    links: Links
    sync: SyncLoop
    surroundings: Surroundings


class Task(Generic[P, R]):
    """Made by `@app.task(…)`. Its `options` and `using` give a task that differs in these only."""

    __slots__ = ("_bound", "_conn", "_options", "name", "wire")

    def __init__(
        self, name: str, bound: Bindings, options: JobOptions = NONE, conn: OwnConnection | None = None
    ) -> None:
        self.name = name
        self.wire = {**bound.policy.job_wire(), **options.wire()}
        self._bound = bound
        self._options = options
        self._conn = conn

    def __repr__(self) -> str:
        return f"<Task {self.name}>"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        """Runs the handler here and now, as if it were no task."""
        return self._bound.handler(*args, **kwargs)

    @property
    def handler(self) -> Callable[..., Any]:
        return self._bound.handler

    @property
    def policy(self) -> TaskPolicy:
        return self._bound.policy

    @property
    def process(self) -> ProcessLimits | None:
        """The limits of the process that runs the handler, if it is to have its own."""
        return self._bound.policy.process

    @property
    def classify(self) -> Classifier:
        """Which class an exception of the handler is."""
        return self._bound.policy.classify

    @property
    def surroundings(self) -> Surroundings:
        """Those of its app."""
        return self._bound.surroundings

    @property
    def can_yield(self) -> bool:
        """Whether the handler gives its job back unfinished when its worker is about to leave."""
        return self._bound.policy.yields

    @property
    def context_parameter(self) -> str | None:
        """The name of the parameter that takes the worker's JobContext."""
        return self._bound.signature.context_parameter

    def options(self, **given: Unpack[GivenOptions]) -> Self:
        """The same task with options for its next jobs."""
        return type(self)(self.name, self._bound, self._options.but(given), self._conn)

    def using(self, conn: object, *, notify: bool = True) -> Self:
        """The same task, enqueuing on a connection of yours: its jobs exist if your transaction commits.

        It may be of asyncpg, psycopg, SQLAlchemy or Django; others are refused with InvalidOption. Without
        `notify` your commit wakes no worker, and PostgreSQL lets you PREPARE the transaction.
        """
        return type(self)(self.name, self._bound, self._options, OwnConnection(conn, notify=notify))

    def call(self, *args: P.args, **kwargs: P.kwargs) -> Call[R]:
        """A call to be enqueued later, with others or when a run is complete."""
        return Call(self, self._bound.signature.payload(args, kwargs))

    async def enqueue(self, *args: P.args, **kwargs: P.kwargs) -> JobHandle[R]:
        """Store a job; when this returns, it is durable."""
        job, link = self._job(args, kwargs), self._bound.links.here()
        if self._conn is None:
            return self.handle(await link.enqueuer.enqueue(job))
        (stored,) = await self._conn.store([job], link)
        return self.handle(stored)

    def enqueue_sync(self, *args: P.args, **kwargs: P.kwargs) -> JobHandle[R]:
        """The same for code without an event loop; refused where one runs, since it would stand still.

        With `using`, on a synchronous connection only; where that is used, the loop stands still anyway.
        """
        job, loop = self._job(args, kwargs), self._bound.sync
        if self._conn is None:
            return self.handle(loop.run(lambda link: link.enqueuer.enqueue(job)))
        self._conn.check_blocks()
        (stored,) = run_blocking(self._conn.store([job], loop))
        return self.handle(stored)

    async def enqueue_many(
        self, calls: Iterable[Call[R]], *, progress: OnProgress | None = None
    ) -> list[JobHandle[R]]:
        """Store a job for each of `calls`, all in one transaction. `progress` is told done and total.

        Options that a call does not have itself are taken from this task.
        """
        bulk = self._bulk(calls, progress)
        return [self.handle(one) for one in await bulk.enqueue(self._conn, self._bound.links.here())]

    def enqueue_many_sync(
        self, calls: Iterable[Call[R]], *, progress: OnProgress | None = None
    ) -> list[JobHandle[R]]:
        """The same for code without an event loop."""
        bulk = self._bulk(calls, progress)
        return [self.handle(one) for one in bulk.enqueue_sync(self._conn, self._bound.sync)]

    def bind(self, payload: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments for the handler; raises InvalidPayload if it cannot take the payload."""
        return (), self._bound.signature.arguments(payload)

    def encode_output(self, value: Any) -> JsonText:
        """What the handler returned, as JSON text; raises InvalidPayload if that cannot be."""
        return encode(self._bound.signature.output.to_json(value))

    def handle(self, stored: Enqueued) -> JobHandle[R]:
        return JobHandle(self._bound.links, stored.id, stored.created, self._bound.signature.output)

    def _job(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> NewJob:
        return NewJob(self.name, self._bound.signature.payload(args, kwargs), self.wire)

    def _bulk(self, calls: Iterable[Call[R]], progress: OnProgress | None) -> Bulk:
        return Bulk(map(self._adopted, calls), length_of(calls), self._options.stagger, progress)

    def _adopted(self, call: Call[R]) -> NewJob:
        """The job of a call, with this task's options where the call has none of its own."""
        if call.task.name != self.name:
            raise InvalidInput(
                f"A call of {call.task.name} was given to {self.name}.",
                f"make the calls with {self.name}.call(…), or use app.enqueue_many for several tasks",
            )
        theirs = call.task._options
        if theirs is NONE or theirs is self._options:
            return NewJob(self.name, call.payload, self.wire)
        return NewJob(self.name, call.payload, {**self.wire, **theirs.wire()})
