"""A task as the worker calls it."""

import inspect
from collections.abc import Callable
from typing import Any

from holdfast.model.error import BadHandler, HoldfastError, InvalidPayload
from holdfast.model.openable_handler import OpenableHandler
from holdfast.model.payload import JsonText, decode
from holdfast.worker.worker_app import WorkerTask


class Handler:
    """The function of a task, with what is computed once for all its jobs."""

    __slots__ = (
        "_encode",
        "bind",
        "can_yield",
        "classify",
        "context_parameter",
        "function",
        "has_waited",
        "is_async",
        "lasting",
        "name",
        "process",
        "signature",
        "wrappers",
    )

    def __init__(self, task: WorkerTask) -> None:
        self.name = task.name
        self.lasting = task.handler.open() if isinstance(task.handler, OpenableHandler) else None
        self.function: Callable[..., Any] = task.handler if self.lasting is None else self.lasting.handle
        self.context_parameter = task.context_parameter
        self.bind = task.bind
        self.can_yield = task.can_yield
        self.classify = task.classify
        self.wrappers = tuple(task.app_hooks.wrappers)
        self._encode = task.encode_output
        self.process = task.process
        # In process mode the worker's loop does not run it.
        self.is_async = task.process is None and inspect.iscoroutinefunction(inspect.unwrap(self.function))
        self.has_waited = not self.is_async  # for a thread, for a process, or because it had to wait before
        self.signature = inspect.signature(self.function)

    def arguments(self, payload_json: str, context: Any) -> dict[str, Any]:
        """By name. Raises BadHandler if the payload does not fit the handler: a retry would not help."""
        try:
            arguments = self.bind(decode(payload_json))
            if self.context_parameter is not None:
                arguments[self.context_parameter] = context
            if not self.is_async:
                self.signature.bind(**arguments)
        except HoldfastError:
            raise
        except Exception as exc:
            raise BadHandler(f"The payload does not fit the handler of {self.name}: {exc}") from exc
        return arguments

    async def close(self) -> None:
        """Closes what it kept open while the worker ran."""
        if self.lasting is not None:
            await self.lasting.close()

    def encode_output(self, value: Any) -> JsonText | None:
        """Raises InvalidPayload, with the word output instead of payload."""
        if value is None:
            return None
        try:
            return self._encode(value)
        except InvalidPayload as exc:
            message = exc.message.replace("The payload", "The handler's output", 1)
            raise InvalidPayload(message, "return JSON values, or nothing", exc.path) from None
