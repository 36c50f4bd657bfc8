"""A thread for a tool that is a plain function.

A daemon thread: those of asyncio.to_thread are joined when the interpreter exits, so that one tool that never
returns would keep the worker's process alive.
"""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import Any

from holdfast.model.stage_routing import Suspend


async def in_thread(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """The function's result or exception; dropped if the caller has been cancelled."""
    loop, context = asyncio.get_running_loop(), contextvars.copy_context()
    future: asyncio.Future[Any] = loop.create_future()

    def work() -> None:
        try:
            answer, error = context.run(function, **arguments), None
        except BaseException as exc:
            answer, error = None, exc
        try:
            loop.call_soon_threadsafe(_deliver, future, answer, error)
        except RuntimeError:
            return  # the worker has exited: its loop is closed

    name = f"holdfast-tool-{getattr(function, '__name__', 'unnamed')}"
    threading.Thread(target=work, name=name, daemon=True).start()
    return await future


def _deliver(future: "asyncio.Future[Any]", answer: Any, error: BaseException | None) -> None:
    if future.cancelled():
        return
    if error is None:
        future.set_result(answer)
    elif isinstance(error, Exception | Suspend) and not isinstance(error, StopIteration):
        future.set_exception(error)
    else:
        # A future cannot carry StopIteration, and the others would end the worker.
        future.set_exception(RuntimeError(f"the tool raised {type(error).__name__}"))
