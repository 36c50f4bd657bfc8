"""Uses of every public member of a JobContext, in each mode. In a module, since a child must find them."""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from datetime import timedelta
from pathlib import Path
from typing import Any

from holdfast import BadHandler, Holdfast, JobContext, LeaseLost, Pipeline, Stage, Yield
from holdfast.client.pipeline import PipelineHandle
from holdfast.model.recorded_call import CallKind, NewCall
from tests.worker.context_cached import cached
from tests.worker.context_reach import Awaiting, Blocking, Reach

HOUR = timedelta(hours=1)

app = Holdfast(name="tests")


@app.resources
async def resources() -> AsyncIterator[dict[str, str]]:
    yield {"greeting": "hello"}


Use = Callable[[JobContext, Reach], Awaitable[Any]]
USES: dict[str, Use] = {"cached": cached}


def use(function: Use) -> Use:
    USES[function.__name__] = function
    return function


def plain(name: str) -> None:
    """A member that is only read."""

    async def read(ctx: JobContext, _: Reach) -> Any:
        return getattr(ctx, name)

    USES[name] = read


ONLY_READ = ("task", "queue", "attempt", "failures", "generation", "labels", "endpoint", "stage", "resources")
for member in (*ONLY_READ, "slot"):
    plain(member)


async def own_id(ctx: JobContext, _: Reach) -> str:
    return str(ctx.id)


USES["id"] = own_id


@use
async def run(ctx: JobContext, _: Reach) -> bool:
    return ctx.run is None


@use
async def endpoint_ok(ctx: JobContext, _: Reach) -> list[bool | None]:
    before = ctx.endpoint_ok
    ctx.endpoint_ok = True
    return [before, ctx.endpoint_ok]


@use
async def blocking(ctx: JobContext, _: Reach) -> list[str]:
    kinds = (type(ctx), type(ctx.blocking))
    waiting = {name for name in members(kinds[0]) if inspect.iscoroutinefunction(getattr(kinds[0], name))}
    return sorted(waiting - members(kinds[1]))


@use
async def time_left(ctx: JobContext, _: Reach) -> bool:
    left = ctx.time_left()
    return left is not None and HOUR - timedelta(minutes=5) < left <= HOUR


@use
async def idempotency_key(ctx: JobContext, _: Reach) -> str:
    return ctx.idempotency_key("pay")


@use
async def units(ctx: JobContext, _: Reach) -> None:
    ctx.units(2)
    ctx.units(1.5)


@use
async def cancelled(ctx: JobContext, reach: Reach) -> None:
    before = ctx.cancelled.is_set()
    await reach.call("label", waits=True)
    await reach.call("label", seen=[before, await reach.wait(ctx.cancelled)])


@use
async def should_yield(ctx: JobContext, reach: Reach) -> list[bool]:
    before = ctx.should_yield.is_set()
    if "waits" not in ctx.labels:
        await reach.call("label", waits=True)
        if await reach.wait(ctx.should_yield):
            raise Yield("the worker leaves")
    return [before, "waits" in ctx.labels]


@use
async def resume_data(ctx: JobContext, reach: Reach) -> Any:
    await reach.call("checkpoint", {"page": 7})
    return await reach.read("resume_data")


@use
async def checkpoint(ctx: JobContext, reach: Reach) -> Any:
    await reach.call("checkpoint", "page", {"n": 1})
    return await reach.call("checkpoints")


@use
async def checkpoints(ctx: JobContext, reach: Reach) -> Any:
    before = dict(await reach.call("checkpoints"))
    await reach.call("checkpoint", "page", [1, None, "ü"])
    return [before, await reach.call("checkpoints")]


@use
async def step(ctx: JobContext, reach: Reach) -> list[int]:
    calls: list[int] = []

    def work() -> int:
        calls.append(1)
        return len(calls)

    return [await reach.call("step", "price", work) for _ in range(2)]


@use
async def save_call(ctx: JobContext, reach: Reach) -> Any:
    call = NewCall(CallKind.TOOL, "search", 0.25, units=2.0, argument_bytes=12)
    await reach.call("save_call", call, "answer", {"found": 3})
    return await reach.call("checkpoints")


@use
async def label(ctx: JobContext, reach: Reach) -> Any:
    await reach.call("label", colour="red", kind=None)
    return ctx.labels


@use
async def progress(ctx: JobContext, reach: Reach) -> None:
    await reach.call("progress", 3, 4, failed=1, note="nearly")


@use
async def enqueue(ctx: JobContext, reach: Reach) -> str:
    return str(await reach.call("enqueue", double.options(priority=7), {"n": 3}))


@use
async def transaction(ctx: JobContext, reach: Reach) -> Any:
    try:
        if isinstance(reach, Blocking):
            return await reach.call("transaction")
        async with ctx.transaction() as block:
            block.output = await block.fetchval("select 'committed'")
    except BadHandler as exc:
        return exc.hint
    return "does not count"


@use
async def context(ctx: JobContext, reach: Reach) -> Any:
    return await reach.read("context")


@use
async def history(ctx: JobContext, reach: Reach) -> Any:
    return [[visit.what, visit.stage, visit.output] for visit in await reach.read("history")]


@use
async def advance(ctx: JobContext, _: Reach) -> Any:
    return ctx.advance("after", {"by": "marker"})


@use
async def open_stages(ctx: JobContext, reach: Reach) -> Any:
    return sorted(await reach.call("open_stages"))


@use
async def reject(ctx: JobContext, _: Reach) -> None:
    ctx.reject("not this one")


@use
async def wait_for(ctx: JobContext, reach: Reach) -> Any:
    return await reach.call("wait_for", "go", timeout="1h")


@use
async def spawn(ctx: JobContext, reach: Reach) -> Any:
    return await reach.call("spawn", "double", [{"n": 1}, {"n": 2}])


async def lost_writes(reach: Reach, trace: str) -> None:
    """Writes until the job is taken away; then into a file the names of the writes that notice it."""
    await reach.call("label", waits=True)
    noticed: list[str] = []
    while "progress" not in noticed:
        try:
            await reach.call("progress", 1)
        except LeaseLost:
            noticed.append("progress")
    call = NewCall(CallKind.TOOL, "search", 0.25)
    for name, given in (("checkpoint", 1), ("save_call", call), ("enqueue", "unknown")):
        try:
            await reach.call(name, given)
        except LeaseLost:
            noticed.append(name)
    Path(trace).write_text(" ".join(noticed))


def members(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def finished(coroutine: Coroutine[Any, Any, Any]) -> Any:
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("it waits")


@app.task()
async def double(n: int) -> int:
    return 2 * n


@app.task()
async def begin(use: str) -> dict[str, bool]:
    return {"begun": True}


@app.task()
async def after(ctx: JobContext, use: str) -> Any:
    return (await ctx.context)["here"]


@app.task()
async def in_loop(ctx: JobContext, use: str) -> Any:
    return await USES[use](ctx, Awaiting(ctx))


@app.task()
def in_thread(ctx: JobContext, use: str) -> Any:
    return finished(_of(USES[use](ctx, Blocking(ctx))))


@app.task(mode="process")
def in_process(ctx: JobContext, use: str) -> Any:
    return finished(_of(USES[use](ctx, Blocking(ctx))))


@app.task(mode="process")
async def async_in_process(ctx: JobContext, use: str) -> Any:
    return await USES[use](ctx, Awaiting(ctx))


@app.task(name="lost-loop")
async def lost_in_loop(ctx: JobContext, trace: str) -> None:
    await lost_writes(Awaiting(ctx), trace)


@app.task(name="lost-thread")
def lost_in_thread(ctx: JobContext, trace: str) -> None:
    finished(lost_writes(Blocking(ctx), trace))


@app.task(name="lost-process", mode="process")
def lost_in_process(ctx: JobContext, trace: str) -> None:
    finished(lost_writes(Blocking(ctx), trace))


async def _of(value: Awaitable[Any]) -> Any:
    return await value


TASKS = {"loop": in_loop, "thread": in_thread, "process": in_process, "async-process": async_in_process}


def _pipeline(mode: str) -> PipelineHandle:
    here = Stage("here", task=TASKS[mode], timeout=HOUR)
    return app.pipeline(Pipeline(mode, [Stage("begin", task=begin), here, Stage("after", task=after)]))


MODES = {mode: _pipeline(mode) for mode in TASKS}
