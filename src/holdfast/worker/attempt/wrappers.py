"""The functions of `@app.around`, around the call of a handler."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from holdfast.model.app_hooks import Wrapper
from holdfast.worker.context.job_context import JobContext


async def wrapped(
    wrappers: Sequence[Wrapper], context: JobContext, call: Callable[[], Awaitable[Any]]
) -> Any:
    """Returns the handler's result, or raises the exception of the handler or a wrapper.

    A wrapper that swallows the handler's exception changes nothing: there is no output, so the exception is
    raised anyway. Otherwise a job would count as completed without being so.
    """
    if not wrappers:
        return await call()
    value: Any = None
    raised: BaseException | None = None
    try:
        async with wrappers[0](context):
            try:
                value = await wrapped(wrappers[1:], context, call)
            except BaseException as exc:
                raised = exc
                raise
        if raised is not None:
            raise raised
        return value
    finally:
        raised = None  # its traceback holds this frame: a cycle, with the handler's variables
