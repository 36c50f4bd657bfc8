"""What `@app.task(…)` is: from a function to a Task of the same parameters, without the context."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Concatenate, ParamSpec, TypeVar, overload

from holdfast.client.any_payload import AnyPayload
from holdfast.client.link import Links
from holdfast.client.policy import TaskPolicy
from holdfast.client.signature import Signature
from holdfast.client.sync import SyncLoop
from holdfast.client.task import Bindings, Task
from holdfast.model.context import Context
from holdfast.model.error import BadHandler
from holdfast.model.lasting import LastingHandler
from holdfast.model.surroundings import Surroundings

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
        surroundings: Surroundings,
    ) -> None:
        self._tasks = tasks
        self._name = name
        self._policy = policy
        self._links = links
        self._sync = sync
        self._surroundings = surroundings

    @overload
    def __call__(self, handler: LastingHandler, /) -> Task[..., Any]: ...

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
        signature = AnyPayload() if isinstance(handler, LastingHandler) else Signature(handler)
        if self._policy.yields and signature.context_parameter is None:
            raise BadHandler(
                f"{name} takes no context, so it cannot see when to yield.",
                "give it a parameter annotated with JobContext, or leave yields=True out",
            )
        bound = Bindings(handler, signature, self._policy, self._links, self._sync, self._surroundings)
        task: Task[..., Any] = Task(name, bound)
        self._tasks[name] = task
        return task


def _check_kind(handler: Any) -> None:
    if isinstance(handler, Task):
        raise BadHandler(f"{handler.name} is a task already.", "decorate the function once")
    if not callable(handler) or isinstance(handler, type):
        raise BadHandler(f"{handler!r} is not a function.", "put @app.task(…) above a function")
    if inspect.isgeneratorfunction(handler) or inspect.isasyncgenfunction(handler):
        raise BadHandler(
            f"{handler.__qualname__} is a generator, and a job has one output.",
            "return the result; report steps with the context's progress or checkpoint",
        )


def _check_importable(handler: Callable[..., Any]) -> None:
    if isinstance(handler, LastingHandler):
        raise BadHandler(
            f"{handler.name} cannot run in a process of its own: its connections last as long as its worker.",
            'leave mode="process" out',
        )
    name = getattr(handler, "__qualname__", "<unnamed>")
    if "<" in name:
        raise BadHandler(
            f"{name} cannot run in a process of its own, which could not find it.",
            "put the function at the top level of a module",
        )


def _name_of(handler: Callable[..., Any]) -> str:
    name = handler.name if isinstance(handler, LastingHandler) else getattr(handler, "__name__", "")
    if not name.isidentifier():
        raise BadHandler(f"{handler!r} has no name of its own.", 'give one: @app.task(name="…")')
    return name


def _check_name(name: str, handler: Callable[..., Any], tasks: dict[str, Task[..., Any]]) -> None:
    if not 1 <= len(name) <= LONGEST_NAME:
        raise BadHandler(f"The task's name has {len(name)} characters.", f"use 1 to {LONGEST_NAME}")
    if name in tasks:
        other = tasks[name].handler
        raise BadHandler(
            f"There are two tasks {name}: {_place(other)} and {_place(handler)}.",
            'give one of them another name: @app.task(name="…")',
        )


def _place(handler: Callable[..., Any]) -> str:
    return f"{handler.__module__}.{getattr(handler, '__qualname__', handler)}"
