"""A worker in a process of its own: python -m tests.crash.worker_process '{"slots": 5}'.

Its tasks leave traces in two tables: `calls`, at each start of a handler, and `effects`, with the completion.
"""

import asyncio
import ctypes
import json
import os
import sys
import time
from datetime import UTC, datetime, timedelta
from typing import Any

from holdfast.client.app import Holdfast
from holdfast.model.error import LeaseLost
from holdfast.pipeline import Pipeline, Stage
from holdfast.worker import failpoint
from holdfast.worker.context.job_context import JobContext
from holdfast.worker.shutdown.signals import stop_on_signals
from holdfast.worker.worker import Worker
from tests.crash.failpoints import arm

TABLES = """
create table calls (job uuid, attempt integer, worker text);
create table effects (job uuid, attempt integer);
create table fenced (job uuid, what text);
create table steps (job uuid, stage text, attempt integer);
"""
DURATIONS = ("lease", "grace", "sweep")

app = Holdfast(name="crash")
me: list[Worker] = []


async def _trace(ctx: JobContext) -> None:
    await app.database.execute("insert into calls values ($1, $2, $3)", ctx.id, ctx.attempt, str(me[0].id))


@app.task()
async def plain(ctx: JobContext, n: int) -> int:
    await _trace(ctx)
    failpoint.reach("during_run")
    return n


@app.task()
async def book(ctx: JobContext, n: int) -> None:
    await _trace(ctx)
    async with ctx.transaction() as tx:
        await tx.execute("insert into effects values ($1, $2)", ctx.id, ctx.attempt)
        failpoint.reach("during_run")
        tx.output = n


@app.task()
async def steps(ctx: JobContext, n: int) -> int:
    """Each step leaves a trace of its own; the moment between two steps is a failpoint."""
    total = 0
    for number in range(n):
        total += await ctx.step(f"step {number}", lambda: _trace_step(ctx))
        failpoint.reach("between_steps")
    return total


@app.task()
async def report(ctx: JobContext, most: int) -> None:
    """The first attempt reports half of its items and never ends; the next one goes on from there."""
    await _trace(ctx)
    if ctx.attempt == 1:
        await ctx.progress(most // 2, most, item="half")
        await asyncio.Event().wait()
    await ctx.progress(most, item="last")


@app.task()
async def nap(ctx: JobContext, seconds: float) -> str:
    await _trace(ctx)
    await asyncio.sleep(seconds)
    return str(me[0].id)


@app.task()
async def call(ctx: JobContext, seconds: float, fails: bool) -> None:
    """As if it called an endpoint, which may fail the first time."""
    await _trace(ctx)
    await asyncio.sleep(seconds)
    if fails and ctx.attempt == 1:
        raise ConnectionError("the endpoint broke")


@app.task()
async def block(ctx: JobContext, seconds: float) -> str:
    """As rude as a handler can be."""
    await _trace(ctx)
    _stand_still(seconds)
    return str(me[0].id)


@app.task()
async def block_until(ctx: JobContext, gate: str) -> str:
    """Until the test opens that FIFO for writing."""
    await _trace(ctx)
    os.close(os.open(gate, os.O_RDONLY))
    return str(me[0].id)


@app.task()
async def rest(seconds: float) -> str:
    """Writes nothing itself: whatever is written for it is Holdfast's."""
    await asyncio.sleep(seconds)
    return str(me[0].id)


@app.task()
async def grip_until(ctx: JobContext, gate: str) -> str:
    """Ruder still: the first attempt lets no other thread of this interpreter run, not even the lease's."""
    await _trace(ctx)
    if ctx.attempt == 1:
        _hold_the_interpreter_until(gate)
    return str(me[0].id)


@app.task(mode="process")
def grip_apart(ctx: JobContext, seconds: float) -> int:
    """The same, in a process of its own."""
    ctx.blocking.checkpoint("began", True)
    _hold_the_interpreter(seconds)
    return ctx.attempt


@app.task(mode="process")
def grip_apart_until(ctx: JobContext, gate: str) -> int:
    ctx.blocking.checkpoint("began", True)
    _hold_the_interpreter_until(gate)
    return ctx.attempt


@app.task()
async def what_time() -> float:
    """By this host's clock."""
    return datetime.now(UTC).timestamp()


@app.task()
async def haunt(ctx: JobContext) -> str:
    """The first attempt never ends by itself; when it is stopped, it tries to write all the same."""
    await _trace(ctx)
    if ctx.attempt > 1:
        return str(me[0].id)
    try:
        await asyncio.Event().wait()
    finally:
        await _write_as_a_zombie(ctx)
    return "never"


@app.task()
async def answer(ctx: JobContext, entity: str, text: str) -> dict[str, str]:
    await _trace(ctx)
    await asyncio.sleep(0.005)
    return {"entity": entity, "reply": f"re: {text}"}


@app.task()
async def walk(ctx: JobContext, n: int) -> dict[str, Any]:
    """A stage: a step that leaves a trace, and what the stages before it left."""
    await _trace(ctx)

    async def leave_a_trace() -> int:
        await app.database.execute("insert into steps values ($1, $2, $3)", ctx.id, ctx.stage, ctx.attempt)
        return n

    await ctx.step("trace", leave_a_trace)
    failpoint.reach("after_step")
    return {"before": [*await ctx.context], "n": n}


WALK = Pipeline("walk", [Stage(name, task=walk, queue="default") for name in ("one", "two", "three")])
app.pipeline(WALK)


@app.task(mode="process")
def hold(ctx: JobContext, with_lock: bool) -> str:
    """The first attempt never ends by itself, nor does what it forks."""
    if ctx.attempt > 1:
        return "again"
    forked = os.fork()
    if forked == 0:
        _stand_still(600)
    ctx.blocking.checkpoint("pids", [os.getpid(), forked])
    if with_lock:
        _hold_the_interpreter(600)
    _stand_still(600)
    return "never"


async def _trace_step(ctx: JobContext) -> int:
    await _trace(ctx)
    return 1


async def _write_as_a_zombie(ctx: JobContext) -> None:
    for what, write in (
        ("checkpoint", ctx.checkpoint("late", 1)),
        ("progress", ctx.progress(1)),
        ("enqueue", ctx.enqueue("plain", {"n": 1})),
        ("transaction", _book(ctx)),
    ):
        try:
            await write
        except LeaseLost:
            await app.database.execute("insert into fenced values ($1, $2)", ctx.id, what)


async def _book(ctx: JobContext) -> None:
    async with ctx.transaction() as tx:
        await tx.execute("insert into effects values ($1, $2)", ctx.id, ctx.attempt)


def _stand_still(seconds: float) -> None:
    time.sleep(seconds)


def _hold_the_interpreter(seconds: float) -> None:
    """PyDLL keeps the lock of the interpreter during the call."""
    ctypes.PyDLL(None).usleep(int(seconds * 1_000_000))


def _hold_the_interpreter_until(gate: str) -> None:
    ctypes.PyDLL(None).open(os.fsencode(gate), os.O_RDONLY)


async def main(options: dict[str, Any]) -> None:
    arm()
    for name in DURATIONS:
        if name in options:
            options[name] = timedelta(seconds=options[name])
    async with app:
        worker = Worker(app, ["default"], **options)
        me.append(worker)
        with stop_on_signals(worker):
            report = await worker.run()
    print(json.dumps({"processed": report.processed, "lost": report.lost, "unsettled": report.unsettled}))


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1]) if sys.argv[1:] else {}))
