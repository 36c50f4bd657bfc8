"""The order of events: the server, six workers, six tabs, a kill, and 300 seconds that pass at once."""

import asyncio
import os
import socket
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import uvicorn

from examples.chat_replies.app import QUEUE, app, page
from examples.chat_replies.checks import Evidence, judge, plant
from examples.chat_replies.tabs import ENTITIES, Tab, six_tabs, until_answered
from examples.options import Options
from examples.verdict import Verdict
from holdfast import Timeout
from holdfast.db.connect import Database
from holdfast.testing import install_fake_clock

WORKER = Path(__file__).with_name("worker.py")
WORKERS = 6
LOOK_EVERY = 0.05
HELD = """
select j.unique_key as message
from holdfast.job_view as j
join holdfast.worker_view as w on w.id = j.worker
where j.state = 'running' and w.host = $1
"""


@dataclass(frozen=True, slots=True)
class Size:
    """`typed`: messages that each tab types by hand; `more`: that its script sends then."""

    typed: int
    more: int
    thinks: float  # seconds that the model takes
    patience: float


SMALL = Size(typed=3, more=7, thinks=0.3, patience=120)
FULL = Size(typed=10, more=990, thinks=0.3, patience=3600)


async def play(options: Options) -> Verdict:
    evidence = await played(options, FULL if options.full else SMALL)
    async with Database(options.database_url) as database:
        if options.plant is not None:
            evidence = await plant(database, evidence, options.plant)
        return await judge(database, evidence)


async def played(options: Options, size: Size) -> Evidence:
    os.environ["HOLDFAST_DATABASE_URL"] = options.database_url
    async with app:
        await app.declare()
        return await _chat(options, size)


async def _chat(options: Options, size: Size) -> Evidence:
    key = await app.keys.create("workers", "worker", queues=[QUEUE])
    async with Processes(options.directory) as processes, _page() as url:
        api = await processes.serve(options.database_url)
        processes.environment = {"API": api, "KEY": key.secret, "THINKS": str(size.thinks)}
        names = [f"worker-{number}" for number in range(1, WORKERS + 1)]
        for name in names:
            await processes.start(name, sys.executable, str(WORKER), name)
        async with six_tabs(url) as (who, tabs):
            options.display.say(f"{who}, {WORKERS} workers at {api}")
            async with asyncio.TaskGroup() as at_once:
                for tab, entity in zip(tabs, ENTITIES, strict=True):
                    at_once.create_task(_talk(size, tab, entity))
                victim = await _kill_one_at_work(processes, names, size.patience)
                options.display.say(f"kill -9: a worker that had the message {victim}")
            await until_answered(tabs, 1, size.patience)
            clock = await install_fake_clock(app.database)
            await clock.advance("301s")  # its lease ends, and the server's sweep takes the message back
            shown = await until_answered(tabs, 0, size.patience)
    return Evidence(who, (size.typed + size.more) * len(tabs), shown, victim)


async def _talk(size: Size, tab: Tab, entity: str) -> None:
    for number in range(size.typed):
        await tab.type(entity, str(number))
    await tab.send_many(entity, [f"and {number}" for number in range(size.more)])


async def _kill_one_at_work(processes: "Processes", names: Sequence[str], within: float) -> str:
    """The message that it had, and still has: the database does not know yet that it is gone."""
    end = time.monotonic() + within
    for name in names:
        while not await app.database.fetch(HELD, name):
            if time.monotonic() > end:
                raise Timeout(f"No worker had a message to be killed with within {within:.0f} s.")
            await asyncio.sleep(LOOK_EVERY)
        await processes.kill(name)
        held = await app.database.fetch(HELD, name)
        if held:
            return str(held[0]["message"])
    raise Timeout("Every worker had completed its message when it was killed.")


@asynccontextmanager
async def _page() -> AsyncIterator[str]:
    """The chat's own server, in this process."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(page, lifespan="off", log_config=None))
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            await serving


class Processes:
    """The server and the workers, each with a log of its own; all are ended with the block."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._running: dict[str, Process] = {}
        self.environment: dict[str, str] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for name in reversed(list(self._running)):
            await self.kill(name)

    async def serve(self, database_url: str) -> str:
        """The address of `holdfast serve`, which it prints once it listens."""
        self.environment = {"HOLDFAST_DATABASE_URL": database_url}
        command = (sys.executable, "-m", "holdfast", "serve", "--port", "0", "--message-routes")
        server = await self.start("serve", *command, stdout=PIPE)
        assert server.stdout is not None
        return (await server.stdout.readline()).decode().strip()

    async def start(self, name: str, *command: str, stdout: int | None = None) -> Process:
        with (self._directory / f"{name}.log").open("wb") as log:
            self._running[name] = await asyncio.create_subprocess_exec(
                *command, env={**os.environ, **self.environment}, stdout=stdout or log, stderr=log
            )
        return self._running[name]

    async def kill(self, name: str) -> None:
        process = self._running.pop(name)
        process.kill()
        await process.wait()
