"""A task as the worker calls it."""

import inspect
from collections.abc import Callable
from typing import Any

from holdfast.model.error import BadHandler, HoldfastError
from holdfast.model.payload import decode
from holdfast.worker.tasks import WorkerTask

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


class Handler:
    """The function of a task, with what need not be found out again for each job."""

    __slots__ = ("bind", "context_parameter", "function", "is_async", "name", "signature")

    def __init__(self, task: WorkerTask) -> None:
        self.name = task.name
        self.function: Callable[..., Any] = task.handler
        self.context_parameter = task.context_parameter
        self.bind = task.bind
        self.is_async = _is_async(task.handler)
        self.signature = inspect.signature(task.handler)

    def arguments(self, payload_json: str, context: Any) -> Arguments:
        """Raises BadHandler if the payload does not fit the handler: trying again would not help."""
        try:
            args, kwargs = self.bind(decode(payload_json))
            if self.context_parameter is not None:
                kwargs[self.context_parameter] = context
            if not self.is_async:
                self.signature.bind(*args, **kwargs)
        except HoldfastError:
            raise
        except Exception as exc:
            raise BadHandler(f"The payload does not fit the handler of {self.name}: {exc}") from exc
        return args, kwargs


def _is_async(function: Callable[..., Any]) -> bool:
    call = getattr(function, "__call__", None)  # an object with an async __call__ is a handler too
    return inspect.iscoroutinefunction(inspect.unwrap(function)) or inspect.iscoroutinefunction(call)
