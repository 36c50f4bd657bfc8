"""An app with handlers that end or stop their worker, and neighbours of every kind that last longer."""

import asyncio
import ctypes
import os
import time
from datetime import timedelta

from holdfast.client.app import Holdfast
from holdfast.pipeline import Pipeline, Stage
from holdfast.worker.context.job_context import JobContext
from holdfast.worker.shutdown.signals import stop_on_signals
from holdfast.worker.worker import Worker

# Long beside the time that a culprit takes, short beside a test's patience.
LASTING = 1.0

app = Holdfast(name="poison")


@app.task()
async def kill(after: float) -> None:
    """As a fault in a C library or the kernel's out-of-memory killer does it."""
    await asyncio.sleep(after)
    os._exit(9)


@app.task()
def hold_interpreter(seconds: float) -> None:
    """No other thread of this interpreter runs, not even the one that renews the lease."""
    ctypes.PyDLL(None).usleep(int(seconds * 1_000_000))


@app.task()
async def terminate_self() -> str:
    os.kill(os.getpid(), 15)
    await asyncio.sleep(LASTING)
    return "lived on"


@app.task()
async def wait_for_ever() -> None:
    await asyncio.Event().wait()


@app.task()
async def wait_async() -> str:
    await asyncio.sleep(LASTING)
    return "done"


@app.task()
def wait_in_thread() -> str:
    time.sleep(LASTING)
    return "done"


@app.task(mode="process")
def wait_in_process() -> str:
    time.sleep(LASTING)
    return "done"


@app.task()
async def write(ctx: JobContext) -> None:
    await asyncio.sleep(LASTING)
    async with ctx.transaction() as tx:
        await tx.execute("insert into effects values ($1, $2)", ctx.id, ctx.attempt)
        tx.output = "done"


@app.task()
async def stage(ctx: JobContext) -> str:
    await asyncio.sleep(LASTING / 2)
    return "done"


LINE = Pipeline("line", [Stage(name, task=stage, queue="default") for name in ("one", "two")])
app.pipeline(LINE)


async def main() -> None:
    """A worker inside another program, which knows of no command that starts it."""
    async with app:
        worker = Worker(app, ["default"], slots=30, lease=timedelta(seconds=2), sweep=timedelta(seconds=0.3))
        with stop_on_signals(worker):
            await worker.run()


if __name__ == "__main__":
    asyncio.run(main())
