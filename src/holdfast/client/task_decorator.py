"""`@app.task(…)`: turns a function into a Task with the same parameters, without the context."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Concatenate, ParamSpec, TypeVar, overload

from holdfast.client.any_payload import AnyPayload
from holdfast.client.connection_pools import Links
from holdfast.client.signature import Signature
from holdfast.client.sync import SyncLoop
from holdfast.client.task import Bindings, Task
from holdfast.client.task_and_queue_settings import TaskPolicy
from holdfast.client.task_unique_key import TaskUniqueKey
from holdfast.model.app_hooks import AppHooks
from holdfast.model.context import Context
from holdfast.model.error import BadHandler
from holdfast.model.openable_handler import OpenableHandler

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=Context)

LONGEST_NAME = 200


class TaskDecorator:
    """Called with a handler, coroutine function or plain; plain ones run in a thread of the worker."""

    def __init__(
        self,
        tasks: dict[str, Task[..., Any]],
        name: str | None,
        policy: TaskPolicy,
        links: Links,
        sync: SyncLoop,
        app_hooks: AppHooks,
    ) -> None:
        self._tasks = tasks
        self._name = name
        self._policy = policy
        self._links = links
        self._sync = sync
        self._surroundings = app_hooks

    @overload
    def __call__(self, handler: OpenableHandler, /) -> Task[..., Any]: ...

    @overload
    def __call__(self, handler: Callable[Concatenate[C, P], Awaitable[R]], /) -> Task[P, R]: ...

    @overload
    def __call__(self, handler: Callable[P, Awaitable[R]], /) -> Task[P, R]: ...

    @overload
    def __call__(self, handler: Callable[Concatenate[C, P], R], /) -> Task[P, R]: ...

    @overload
    def __call__(self, handler: Callable[P, R], /) -> Task[P, R]: ...

    def __call__(self, handler: Callable[..., Any], /) -> Task[..., Any]:
        _check_kind(handler)
        if self._policy.process is not None:
            _check_importable(handler)
        name = self._name or _name_of(handler)
        _check_name(name, handler, self._tasks)
        signature = AnyPayload() if isinstance(handler, OpenableHandler) else Signature(handler)
        if self._policy.yields and signature.context_parameter is None:
            raise BadHandler(
                f"The handler {name} has yields=True, but no JobContext that tells it when to yield.",
                "add a parameter annotated with JobContext, or remove yields=True",
            )
        policy, wire, unique = self._policy, self._policy.job_wire(), _unique_key(name, handler, self._policy)
        bound = Bindings(
            handler, signature, policy, wire, self._links, self._sync, self._surroundings, unique
        )
        task: Task[..., Any] = Task(name, bound)
        self._tasks[name] = task
        return task


def _unique_key(name: str, handler: Callable[..., Any], policy: TaskPolicy) -> TaskUniqueKey | None:
    if policy.unique_key is not None:
        return TaskUniqueKey(name, handler, policy.unique_key, policy.unique_for)
    if policy.unique_for is not None:
        raise BadHandler(
            f"The task {name} has unique_for, but no unique_key.",
            "add unique_key=…, a function that makes a string from the handler's arguments",
        )
    return None


def _check_kind(handler: Any) -> None:
    if isinstance(handler, Task):
        raise BadHandler(f"The function is already the task {handler.name}.", "decorate the function once")
    if not callable(handler) or isinstance(handler, type):
        raise BadHandler(
            f"A task must be a function (got {handler!r}).", "decorate a function with @app.task(…)"
        )
    if inspect.isgeneratorfunction(handler) or inspect.isasyncgenfunction(handler):
        raise BadHandler(
            f"The handler {handler.__qualname__} is a generator, but a job has a single output.",
            "return the result; to report steps, call ctx.progress() or ctx.checkpoint()",
        )


def _check_importable(handler: Callable[..., Any]) -> None:
    if isinstance(handler, OpenableHandler):
        raise BadHandler(
            f"The handler {handler.name} cannot run in a child process, because it uses connections that "
            "exist only in the worker process.",
            'remove mode="process"',
        )
    name = getattr(handler, "__qualname__", "<unnamed>")
    if "<" in name:
        raise BadHandler(
            f"The handler {name} cannot run in a child process, because a child process cannot import it.",
            "put the function at the top level of a module",
        )


def _name_of(handler: Callable[..., Any]) -> str:
    name = handler.name if isinstance(handler, OpenableHandler) else getattr(handler, "__name__", "")
    if not name.isidentifier():
        raise BadHandler(f"The handler {handler!r} has no name.", 'give the task a name: @app.task(name="…")')
    return name


def _check_name(name: str, handler: Callable[..., Any], tasks: dict[str, Task[..., Any]]) -> None:
    if not 1 <= len(name) <= LONGEST_NAME:
        raise BadHandler(
            f"The task's name must have 1 to {LONGEST_NAME} characters (got {len(name)}).",
            "choose another name",
        )
    if name in tasks:
        other = tasks[name].handler
        raise BadHandler(
            f"Two tasks have the name {name}: {_place(other)} and {_place(handler)}.",
            'give one of them another name: @app.task(name="…")',
        )


def _place(handler: Callable[..., Any]) -> str:
    return f"{handler.__module__}.{getattr(handler, '__qualname__', handler)}"
