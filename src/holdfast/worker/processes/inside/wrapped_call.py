"""A handler in a child, with its app's wrappers around it."""

import asyncio
import inspect
from contextvars import Context, copy_context
from typing import Any

from holdfast.worker.forked import Home
from holdfast.worker.main_loop import MainLoop
from holdfast.worker.own_task import OwnTask, end_all
from holdfast.worker.processes.inside.context import ProcessContext
from holdfast.worker.running import Running
from holdfast.worker.wrapping import wrapped


def call_wrapped(running: Running, context: ProcessContext, loop: MainLoop) -> Any:
    """The wrappers run on the loop. A plain function is called while the loop stands still: it must not find
    a running one, or it could neither use `ctx.blocking` nor run a loop of its own.
    """
    call = _WrappedCall(running, context)
    if loop.until_done(call.until_handler()):
        call.handler_s_turn()
    return loop.until_done(call.until_done())


class _WrappedCall:
    def __init__(self, running: Running, context: ProcessContext) -> None:
        self._running = running
        self._context = context
        self._home = Home()
        self._is_reached = asyncio.Event()
        self._variables: Context | None = None  # as the wrappers have set them

    async def until_handler(self) -> bool:
        """False if a wrapper raised before."""
        self._answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        wrappers = self._running.handler.wrappers
        self._task = asyncio.create_task(wrapped(wrappers, self._context, self._call))
        reached = OwnTask(self._is_reached.wait())
        await asyncio.wait([self._task, reached], return_when=asyncio.FIRST_COMPLETED)
        await end_all([reached])
        return self._is_reached.is_set()

    def handler_s_turn(self) -> None:
        handler, error, value = self._running.handler, None, None
        assert self._variables is not None
        try:
            args, kwargs = handler.arguments(self._running.job.payload_json, self._context)
            value = self._variables.run(handler.function, *args, **kwargs)
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
