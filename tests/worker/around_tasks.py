"""An app with wrappers and handlers in processes of their own, which must find it."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextvars import ContextVar
from typing import Any

from holdfast import Permanent
from holdfast.client.app import Holdfast
from holdfast.worker.context.job_context import JobContext

app = Holdfast(name="tests")
session: ContextVar[str] = ContextVar("session", default="none")


@app.around
async def with_session(ctx: JobContext) -> AsyncIterator[None]:
    await asyncio.sleep(0)
    session.set(f"{ctx.task} in {os.getpid()}")
    try:
        yield
    except ValueError as exc:
        await ctx.checkpoint("seen", str(exc))
        raise Permanent("the wrapper said so") from exc


@app.task(mode="process")
def plain(ctx: JobContext) -> list[Any]:
    ctx.blocking.checkpoint("half", 1)
    return [os.getpid(), session.get(), asyncio.run(inside())]


async def inside() -> str:
    return "a loop of its own"


@app.task(mode="process")
async def asynchronous() -> list[Any]:
    await asyncio.sleep(0)
    return [os.getpid(), session.get()]


@app.task(mode="process", max_failures=9)
def fails(ctx: JobContext) -> None:
    raise ValueError("by the handler")


@app.task(mode="process", max_failures=1)
def leaves() -> None:
    raise SystemExit(3)


@app.task(mode="process")
def forks() -> int:
    """Two processes return from it."""
    os.fork()
    return os.getpid()
