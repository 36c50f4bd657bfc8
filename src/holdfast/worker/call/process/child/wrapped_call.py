"""A handler in a child, with its app's wrappers around it."""

import asyncio
import inspect
from contextvars import Context, copy_context
from typing import Any

from holdfast.worker.attempt.running_attempt import Attempt
from holdfast.worker.attempt.wrappers import wrapped
from holdfast.worker.context.job_context import JobContext
from holdfast.worker.main_loop import MainLoop
from holdfast.worker.original_process import OriginalProcess
from holdfast.worker.own_task import OwnTask, end_all


def call_wrapped(attempt: Attempt, context: JobContext, loop: MainLoop) -> Any:
    """The wrappers run on the loop. A plain function is called outside the running loop, because inside it
    could neither use `ctx.blocking` nor run its own loop.
    """
    call = _WrappedCall(attempt, context)
    if loop.until_done(call.until_handler()):
        call.handler_s_turn()
    return loop.until_done(call.until_done())


class _WrappedCall:
    def __init__(self, attempt: Attempt, context: JobContext) -> None:
        self._attempt = attempt
        self._context = context
        self._home = OriginalProcess()
        self._is_reached = asyncio.Event()
        self._variables: Context | None = None  # as the wrappers set them

    async def until_handler(self) -> bool:
        """False if a wrapper raised first."""
        self._answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        wrappers = self._attempt.handler.wrappers
        self._task = asyncio.create_task(wrapped(wrappers, self._context, self._call))
        reached = OwnTask(self._is_reached.wait())
        await asyncio.wait([self._task, reached], return_when=asyncio.FIRST_COMPLETED)
        await end_all([reached])
        return self._is_reached.is_set()

    def handler_s_turn(self) -> None:
        handler, error, value = self._attempt.handler, None, None
        assert self._variables is not None
        try:
            arguments = handler.arguments(self._attempt.job.payload_json, self._context)
            value = self._variables.run(handler.function, **arguments)
        except BaseException as exc:
            error = exc
        self._home.leave_if_forked(error)
        self._answer.set_result((value, error))

    async def until_done(self) -> Any:
        return await self._task

    async def _call(self) -> Any:
        self._variables = copy_context()
        self._is_reached.set()
        value, error = await self._answer
        if error is not None:
            raise error
        return await value if inspect.iscoroutine(value) else value
