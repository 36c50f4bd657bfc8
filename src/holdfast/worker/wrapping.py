"""The functions of `@app.around`, around the call of a handler."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from holdfast.model.surroundings import Wrapper
from holdfast.worker.context import JobContext


async def wrapped(
    wrappers: Sequence[Wrapper], context: JobContext, call: Callable[[], Awaitable[Any]]
) -> Any:
    """What the handler returned. It raises what the handler or a wrapper raised.

    A wrapper that swallows the handler's exception changes nothing: there is no output, so the exception is
    raised all the same. It would else be a job that counts as completed and was not.
    """
    if not wrappers:
        return await call()
    value: Any = None
    raised: BaseException | None = None
    async with wrappers[0](context):
        try:
            value = await wrapped(wrappers[1:], context, call)
        except BaseException as exc:
            raised = exc
            raise
    if raised is not None:
        raise raised
    return value
