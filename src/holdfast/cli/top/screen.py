"""Connects a view to the terminal and to the database."""

import asyncio
import os
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

from rich.live import Live

from holdfast.cli.frame.common_options import actor
from holdfast.cli.top.keys import press, split_keys
from holdfast.cli.top.layout import JOBS_SHOWN, frame
from holdfast.cli.top.view import View, Wish
from holdfast.client.replay import ReplayPlan, replay_letters
from holdfast.db import jobs, queues
from holdfast.db.connect import Database
from holdfast.db.overview import overview
from holdfast.model.error import HoldfastError
from holdfast.model.job import Job

REASON = "by holdfast top"


async def watch(database: Database, every: timedelta) -> None:
    """Until q is pressed."""
    view: View | None = View(await overview(database))
    with typed_keys() as keys, Live(auto_refresh=False, screen=True) as live:
        while view is not None:
            live.update(frame(view, live.console.width, live.console.height), refresh=True)
            view = await _next(database, view, keys, every)


async def _next(database: Database, view: View, keys: "asyncio.Queue[str]", every: timedelta) -> View | None:
    """The view after the next key, or after a while; None to leave. A database that is away is waited for."""
    try:
        key = await _key(keys, every)
        return await (_refresh(database, view) if key is None else _obey(database, *press(view, key)))
    except HoldfastError as exc:
        return replace(view, message=exc.message)


async def _key(keys: "asyncio.Queue[str]", within: timedelta) -> str | None:
    try:
        async with asyncio.timeout(within.total_seconds()):
            return await keys.get()
    except TimeoutError:
        return None


async def _refresh(database: Database, view: View) -> View:
    if view.jobs is None or view.queue is None:
        return view.seen(await overview(database))
    return replace(view, jobs=await _jobs(database, view.queue.name))


async def _jobs(database: Database, queue: str) -> list[Job]:
    return await jobs.list_jobs(database, {"queue": queue}, None, JOBS_SHOWN)


async def _obey(database: Database, view: View, wish: Wish | None) -> View | None:
    queue = view.queue
    if wish is Wish.QUIT:
        return None
    if wish is None or queue is None:
        return view
    if wish is Wish.OPEN:
        return replace(view, jobs=await _jobs(database, queue.name))
    if wish is Wish.REPLAY:
        report = await replay_letters(database, ReplayPlan({"queue": queue.name}, REASON, actor()))
        message = f"{report.replayed} replayed"
    elif wish is Wish.PAUSE:
        await queues.pause_queue(database, queue.name, REASON, actor())
        message = f"{queue.name} is paused"
    else:
        await queues.resume_queue(database, queue.name, REASON, actor())
        message = f"{queue.name} is resumed"
        if await queues.full_pause(database):
            message = "all queues are paused: holdfast queues resume --all"
    return replace(view, message=message).seen(await overview(database))


@contextmanager
def typed_keys() -> "Iterator[asyncio.Queue[str]]":
    """Keys as they are typed, without waiting for a line; the terminal is as before afterwards."""
    loop, keys = asyncio.get_running_loop(), asyncio.Queue[str]()
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)

    def read() -> None:
        typed = os.read(terminal, 1024).decode(errors="replace")
        for key in split_keys(typed) or ["q"]:  # nothing: the terminal is gone
            keys.put_nowait(key)

    tty.setcbreak(terminal)
    loop.add_reader(terminal, read)
    try:
        yield keys
    finally:
        loop.remove_reader(terminal)
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
