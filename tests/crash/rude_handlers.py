"""Handlers that do to their worker's process what nobody should.

Each way is called by a handler in the worker's loop, by one in a thread, and by one in a process of its own.
"""

import asyncio
import atexit
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NoReturn

from holdfast.client.app import Holdfast
from holdfast.model.state import State
from holdfast.worker.context.job_context import JobContext
from tests.patience import PATIENCE

app = Holdfast(name="rude")
ENDS = {State.COMPLETED, State.DEAD}


@app.task()
async def neighbour(culprit: str) -> str:
    """Lasts longer than the culprit: a worker that leaves with the culprit never gets it done."""
    while await app.job(culprit).status() not in ENDS:
        await asyncio.sleep(0.01)
    return "done"


@app.task()
async def plain() -> int:
    return 1


async def exit_in_gather() -> None:
    await asyncio.gather(_later(_exit), asyncio.sleep(60))


async def exit_in_wait_for() -> None:
    await asyncio.wait_for(asyncio.ensure_future(_later(_exit)), PATIENCE)


async def exit_in_group() -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(_later(_exit))
        group.create_task(asyncio.sleep(60))


async def exit_in_callback() -> None:
    asyncio.get_running_loop().call_soon(_exit)
    await asyncio.sleep(0.05)
    raise ValueError("the callback did not end me")


async def interrupt_in_task() -> None:
    await asyncio.create_task(_later(_interrupt))


async def stop_the_loop() -> None:
    asyncio.get_running_loop().stop()
    await asyncio.sleep(0)
    raise ValueError("the loop went on")


def exit_at_once() -> None:
    _exit()


def interrupt() -> None:
    _interrupt()


def leave_as_a_generator() -> None:
    raise GeneratorExit


def exit_when_asked_for_its_text() -> None:
    class Unreadable(Exception):
        def __str__(self) -> str:
            return str(_exit())

    raise Unreadable


WAYS: dict[str, Callable[[], Any]] = {
    way.__name__: way
    for way in (
        exit_in_gather,
        exit_in_wait_for,
        exit_in_group,
        exit_in_callback,
        interrupt_in_task,
        stop_the_loop,
        exit_at_once,
        interrupt,
        leave_as_a_generator,
        exit_when_asked_for_its_text,
    )
}
AWAITED = {name for name, way in WAYS.items() if asyncio.iscoroutinefunction(way)}


@app.task(max_failures=1)
async def in_loop(way: str) -> None:
    value = WAYS[way]()
    if value is not None:
        await value


@app.task(max_failures=1)
def in_thread(way: str) -> None:
    WAYS[way]()


@app.task(max_failures=1, mode="process")
async def in_process(way: str) -> None:
    value = WAYS[way]()
    if value is not None:
        await value


@app.task(max_failures=1)
async def cancel_all(then_wait: bool) -> str:
    for task in asyncio.all_tasks():
        task.cancel()
    if then_wait:
        await asyncio.sleep(60)
    return "cancelled all"


@app.task()
def in_thread_for_long(culprit: str) -> str:
    """A thread cannot be cancelled, so nothing that happens in the loop may make it run twice."""
    asyncio.run(_until_ended(culprit))
    return "done"


FORKED: dict[str, Callable[[], Any]] = {
    "exits": lambda: sys.exit(3),
    "raises": lambda: int("in a copy of the worker"),
    "returns": lambda: None,
}


@app.task(max_failures=1)
async def fork_in_loop(way: str) -> int:
    if (child := os.fork()) == 0:
        if way == "waits":
            await asyncio.sleep(0)
        else:
            FORKED[way]()
        return -1
    return _code_of(child)


@app.task(max_failures=1)
async def fork_in_task(way: str) -> int:
    return await asyncio.create_task(fork_in_loop.handler(way))


@app.task(max_failures=1)
async def fork_in_transaction(ctx: JobContext, way: str) -> None:
    """What a copy does to the transaction would be done to the worker's."""
    async with ctx.transaction() as tx:
        if (child := os.fork()) == 0:
            FORKED[way]()
        else:
            tx.output = _code_of(child)


@app.task(max_failures=1)
def fork_in_thread(way: str) -> int:
    if (child := os.fork()) == 0:
        FORKED[way]()
        return -1
    return _code_of(child)


@app.task(max_failures=1, mode="process")
def fork_in_process(way: str) -> int:
    if (child := os.fork()) == 0:
        FORKED[way]()
        return -1
    return _code_of(child)


@app.task()
async def swallow() -> None:
    """Hears every request to stop, and goes on."""
    while True:
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            continue


@app.task()
async def leave_a_thread() -> None:
    """Not a daemon: the interpreter waits for it when it exits."""
    threading.Thread(target=time.sleep, args=(600,), name="left-behind").start()
    await asyncio.sleep(600)


@app.task()
async def leave_an_executor() -> None:
    await asyncio.to_thread(time.sleep, 600)


@app.task()
async def leave_an_exit_handler() -> None:
    atexit.register(time.sleep, 600)
    await asyncio.sleep(600)


@app.task()
async def block_the_loop() -> None:
    _stand_still()


async def _later(act: Callable[[], Any]) -> None:
    await asyncio.sleep(0.01)
    act()


async def _until_ended(job: str) -> None:
    async with Holdfast() as own:
        while await own.job(job).status() not in ENDS:
            await asyncio.sleep(0.01)


def _stand_still() -> None:
    time.sleep(600)


def _exit() -> NoReturn:
    sys.exit(3)


def _interrupt() -> NoReturn:
    raise KeyboardInterrupt


def _code_of(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
