"""Tasks in process mode. They live in a module, since a process of its own must find them."""

import asyncio
import ctypes
import logging
import os
import time
from pathlib import Path
from typing import Any

import holdfast
from holdfast.client.app import Holdfast
from holdfast.worker.context.job_context import JobContext
from tests.patience import PATIENCE

app = Holdfast(name="tests")
AT_ONCE = {"delays": [0, 0]}


@app.task(mode="process")
def whoami() -> dict[str, int]:
    return {"pid": os.getpid(), "parent": os.getppid(), "nice": os.nice(0)}


@app.task(mode="process")
def logged_as() -> list[str]:
    """What a log record of the handler carries."""
    record = logging.makeLogRecord({})
    holdfast.JobLogFilter().filter(record)
    known = vars(record)
    return [str(known[name]) for name in ("job", "task", "attempt")]


@app.task(mode="process", nice=7)
async def polite() -> dict[str, int]:
    await asyncio.sleep(0)
    return {"pid": os.getpid(), "parent": os.getppid(), "nice": os.nice(0)}


@app.task()
async def neighbour(n: int) -> int:
    return n


@app.task(mode="process")
def report(ctx: JobContext) -> dict[str, Any]:
    ctx.units(1.5)
    ctx.blocking.checkpoint("half", {"text": "ü\n" * 50_000})
    ctx.blocking.progress(3, 4, note="nearly")
    child = ctx.blocking.enqueue("neighbour", {"n": 5})
    ctx.units(1)
    return {
        "child": str(child),
        "saved": len(ctx.blocking.checkpoints()["half"]["text"]),
        "key": ctx.idempotency_key("pay"),
        "attempt": ctx.attempt,
        "labels": ctx.labels,
    }


@app.task(mode="process", endpoint="model", max_failures=1)
def spends(ctx: JobContext, kind: str, trace: str = "") -> None:
    ctx.units(1)
    ctx.units(2)
    match kind:
        case "reject":
            raise holdfast.Reject("not this one")
        case "snooze":
            raise holdfast.Snooze("1h")
        case "die":
            os._exit(3)
        case "hang":
            ctx.blocking.progress(1)  # its answer comes after the worker has taken the units
            Path(trace).touch()
            time.sleep(600)
        case _:
            pass


@app.task(mode="process")
async def step_by_step(ctx: JobContext) -> list[int]:
    async def once() -> int:
        return os.getpid()

    first = await ctx.step("one", once)
    await ctx.progress(1)
    return [first, await ctx.step("one", once)]


@app.task(mode="process", max_failures=3, retry=AT_ONCE)
def raises(kind: str) -> None:
    match kind:
        case "reject":
            raise holdfast.Reject("not this one")
        case "permanent":
            raise holdfast.Permanent("hopeless")
        case "exit":
            raise SystemExit(4)
        case _:
            raise ValueError(kind)


@app.task(mode="process", endpoint="model", max_failures=9)
def calls_a_model(ctx: JobContext, kind: str) -> None:
    match kind:
        case "failed":
            raise holdfast.EndpointFailed("it said sorry")
        case "refused":
            try:
                raise OSError(113, "No route to host")
            except OSError as exc:
                raise holdfast.Retry("later") from exc
        case "answered":
            ctx.endpoint_ok = True
            raise ValueError("what it said is no JSON")
        case "killed":
            ctx.endpoint_ok = True
            os._exit(3)
        case _:
            raise ValueError("before the call")


@app.task(mode="process", max_failures=1)
async def transacts(ctx: JobContext) -> None:
    async with ctx.transaction():
        pass


@app.task(mode="process", max_failures=1, timeout="2s")
def never_returns(trace: str) -> None:
    """And its fork does not, either."""
    forked = os.fork()
    if forked == 0:
        time.sleep(600)
    Path(trace).write_text(f"{os.getpid()} {forked}")
    while True:
        pass


@app.task(mode="process", max_failures=3, retry=AT_ONCE, memory="128MiB")
def hogs() -> None:
    hoard = []
    while True:
        hoard.append(bytearray(2**20))


@app.task(mode="process", max_failures=3, retry=AT_ONCE)
def crashes() -> None:
    ctypes.string_at(0)


@app.task(mode="process", max_failures=3, retry=AT_ONCE)
def leaves() -> None:
    os._exit(3)


@app.task(mode="process", max_failures=3, retry=AT_ONCE)
def closes_all_files() -> None:
    os.closerange(3, 1000)


@app.task(mode="process")
def forks() -> list[int]:
    """Two processes return from it, one that stays is left behind."""
    left = os.fork()
    if left == 0:
        time.sleep(600)
    copy = os.fork()
    return [os.getpid(), left, copy]


@app.task(mode="process")
def obeys(ctx: JobContext, trace: str) -> None:
    Path(trace).write_text(str(os.getpid()))
    if ctx.cancelled.wait(PATIENCE):
        raise RuntimeError("gave up")


@app.task(mode="process", queue="impatient")
def ignores(trace: str) -> None:
    Path(trace).write_text(str(os.getpid()))
    time.sleep(600)


def unregistered() -> None:
    """Not a task of this module's app."""
