"""A task: the name that selects the handler, and the ways to enqueue jobs for it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, Self, TypeVar, Unpack

from holdfast.client.any_payload import AnyPayload
from holdfast.client.bulk import Bulk, OnProgress, length_of
from holdfast.client.connection_pools import Links
from holdfast.client.enqueue_options import NONE, GivenOptions, Wire, job_options, with_options
from holdfast.client.job_handle import JobHandle
from holdfast.client.new_job import NewJob
from holdfast.client.own_connection import OwnConnection, run_blocking
from holdfast.client.signature import Signature
from holdfast.client.sync import SyncLoop
from holdfast.client.task_and_queue_settings import TaskPolicy
from holdfast.client.task_unique_key import TaskUniqueKey
from holdfast.model.app_hooks import AppHooks
from holdfast.model.classify import Classifier
from holdfast.model.error import InvalidInput
from holdfast.model.job import Enqueued
from holdfast.model.payload import JsonText, decode, encode
from holdfast.model.process_limits import ProcessLimits

P = ParamSpec("P")
R = TypeVar("R")


# Not frozen: a bulk creates many calls, and a frozen one takes three times as long to create.
@dataclass(slots=True, eq=False)
class Call(Generic[R]):
    """A call of a task that is not enqueued yet; its payload is already checked."""

    task: "Task[..., R]"
    payload: JsonText

    @property
    def job(self) -> NewJob:
        return NewJob(self.task.name, self.payload, self.task.wire_of(self.payload))


def require_call(value: Any) -> Call[Any]:
    if isinstance(value, Call):
        return value
    raise InvalidInput(
        f"enqueue_many takes calls of tasks (got {type(value).__name__}).",
        "create each with the task's call(…), such as [greet.call(name) for name in names]",
    )


@dataclass(frozen=True, slots=True)
class Bindings:
    """What every form of a task shares."""

    handler: Callable[..., Any]
    signature: Signature | AnyPayload
    policy: TaskPolicy
    wire: Wire  # the options that its jobs have unless others are given
    links: Links
    sync: SyncLoop
    app_hooks: AppHooks
    unique: TaskUniqueKey | None = None


class Task(Generic[P, R]):
    """Created by `@app.task(…)`. `options` and `using` return a copy that differs only in these."""

    __slots__ = ("_bound", "_conn", "_given", "name", "wire")

    def __init__(
        self, name: str, bound: Bindings, given: Wire = NONE, conn: OwnConnection | None = None
    ) -> None:
        self.name = name
        self.wire = job_options(bound.wire, given)
        self._bound = bound
        self._given = given
        self._conn = conn

    def __repr__(self) -> str:
        return f"<Task {self.name}>"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        """Calls the handler directly, like a normal function."""
        return self._bound.handler(*args, **kwargs)

    @property
    def given(self) -> Wire:
        """The options that were given by `options`, as the verbs take them."""
        return self._given

    @property
    def handler(self) -> Callable[..., Any]:
        return self._bound.handler

    @property
    def policy(self) -> TaskPolicy:
        return self._bound.policy

    @property
    def process(self) -> ProcessLimits | None:
        """The limits of the handler's process in process mode, else None."""
        return self._bound.policy.process

    @property
    def classify(self) -> Classifier:
        """The classes of the handler's exceptions."""
        return self._bound.policy.classify

    @property
    def app_hooks(self) -> AppHooks:
        """The resources and wrappers of its app."""
        return self._bound.app_hooks

    @property
    def can_yield(self) -> bool:
        """Whether the handler returns its job unfinished when its worker is about to exit."""
        return self._bound.policy.yields

    @property
    def context_parameter(self) -> str | None:
        """The name of the parameter that takes the worker's JobContext."""
        return self._bound.signature.context_parameter

    def options(self, **given: Unpack[GivenOptions]) -> Self:
        """The same task with options for its next jobs."""
        return type(self)(self.name, self._bound, with_options(self._given, given), self._conn)

    def using(self, conn: object, *, notify: bool = True) -> Self:
        """The same task, enqueuing on your connection: its jobs exist if your transaction commits.

        Connections of asyncpg, psycopg, SQLAlchemy and Django work; others raise InvalidOption. Without
        `notify` your commit wakes no worker, and PostgreSQL allows PREPARE TRANSACTION.
        """
        return type(self)(self.name, self._bound, self._given, OwnConnection(conn, notify=notify))

    def call(self, *args: P.args, **kwargs: P.kwargs) -> Call[R]:
        """A call to enqueue later, together with others or when a run is complete."""
        return Call(self, self._bound.signature.payload(args, kwargs))

    async def enqueue(self, *args: P.args, **kwargs: P.kwargs) -> JobHandle[R]:
        """Store a job; when this returns, it is durable."""
        job, link = self._job(args, kwargs), self._bound.links.here()
        if self._conn is None:
            return self.handle(await link.enqueuer.enqueue(job))
        (stored,) = await self._conn.store([job], link)
        return self.handle(stored)

    def enqueue_sync(self, *args: P.args, **kwargs: P.kwargs) -> JobHandle[R]:
        """The same for code without an event loop; refused inside a running loop, which it would block.

        With `using`, only on a synchronous connection, which blocks the loop anyway.
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
        """Store a job for each of `calls`, all in one transaction. `progress` is called with done and total.

        A call uses this task's options where it has none of its own.
        """
        return await self._bulk(calls, progress).enqueue(self._conn, self._bound.links.here())

    def enqueue_many_sync(
        self, calls: Iterable[Call[R]], *, progress: OnProgress | None = None
    ) -> list[JobHandle[R]]:
        """The same for code without an event loop."""
        return self._bulk(calls, progress).enqueue_sync(self._conn, self._bound.sync)

    @property
    def bind(self) -> Callable[[Any], dict[str, Any]]:
        """Turns a payload into the handler's arguments, by name; raises InvalidPayload if it does not fit."""
        return self._bound.signature.arguments

    def encode_output(self, value: Any) -> JsonText:
        """The handler's return value as JSON text; raises InvalidPayload if it is not JSON."""
        return encode(self._bound.signature.output.to_json(value))

    def wire_of(self, payload: JsonText, given: Wire = NONE) -> Wire:
        """The options of a job with this payload, with the given ones replaced. A unique key among them
        replaces the task's own. Raises InvalidInput if the task's unique_key fails.
        """
        wire, unique = {**self.wire, **given} if given else self.wire, self._bound.unique
        if unique is None or "unique_key" in wire:
            return wire
        arguments = self._bound.signature.arguments(decode(payload))
        return {**wire, **unique.options(arguments, wire.get("pipeline"))}

    def handle(self, stored: Enqueued) -> JobHandle[R]:
        return JobHandle(self._bound.links, stored.id, stored.created, self._bound.signature.output)

    def _job(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> NewJob:
        payload = self._bound.signature.payload(args, kwargs)
        return NewJob(self.name, payload, self.wire if self._bound.unique is None else self.wire_of(payload))

    def _bulk(self, calls: Iterable[Call[R]], progress: OnProgress | None) -> Bulk:
        jobs = map(self._adopted, calls)
        return Bulk(jobs, length_of(calls), self.handle, self._given.get("stagger"), progress)

    def _adopted(self, call: Call[R]) -> NewJob:
        """The job of a call, with this task's options where the call has none of its own."""
        if require_call(call).task.name != self.name:
            raise InvalidInput(
                f"The task {self.name} got a call of another task, {call.task.name}.",
                f"create the calls with {self.name}.call(…), or enqueue calls of several tasks with "
                "app.enqueue_many(…)",
            )
        theirs = call.task._given
        if not theirs or theirs is self._given:
            return NewJob(self.name, call.payload, self.wire_of(call.payload))
        if not self._given and call.task._bound is self._bound:
            return call.job
        return NewJob(self.name, call.payload, job_options(self.wire_of(call.payload, theirs), NONE))
