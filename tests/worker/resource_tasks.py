"""An app with resources, in a module, since children and commands must find it."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

from holdfast.client.app import Holdfast
from holdfast.worker.context.job_context import JobContext

app = Holdfast(name="tests")


def note(what: str) -> None:
    """One line, in one write: several processes share the file."""
    with Path(os.environ["TRACE"]).open("a") as trace:
        trace.write(f"{what} {os.getpid()}\n")


@app.resources
async def resources() -> AsyncIterator[dict[str, int]]:
    if os.environ.get("BREAKS") == "open":
        raise ConnectionError("no such database")
    note("opened")
    yield {"of": os.getpid()}
    note("closed")
    if os.environ.get("BREAKS") == "close":
        raise ConnectionError("it did not say goodbye")


@app.around
async def around(ctx: JobContext) -> AsyncIterator[None]:
    note(f"wrapped by {ctx.resources['of']}")
    yield


@app.task()
async def here(ctx: JobContext) -> int:
    return int(ctx.resources["of"])


@app.task(mode="process")
def in_child(ctx: JobContext) -> list[int]:
    return [ctx.resources["of"], os.getpid()]


@app.task(mode="process")
async def async_in_child(ctx: JobContext) -> list[int]:
    return [ctx.resources["of"], os.getpid()]


@app.task(queue="risky")
async def ends_its_worker(ctx: JobContext) -> list[int]:
    if ctx.attempt == 1:
        os._exit(3)
    return [ctx.resources["of"], os.getpid()]
