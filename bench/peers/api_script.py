"""The same work over HTTP and in SQL: over HTTP if BENCH_API names a server, with the key in BENCH_KEY."""

import asyncio
import json
import os
import random
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from itertools import cycle
from typing import Any, Protocol, Self
from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg

from bench.peers.holdfast_script import Client as Bulk
from bench.peers.holdfast_script import HoldfastScript, application
from bench.peers.script import main
from holdfast.db.worker import register_worker, settle_and_claim
from holdfast.model.id import WorkerId
from holdfast.model.outcome import DONE

API, KEY = "BENCH_API", "BENCH_KEY"
AT_ONCE = 10  # jobs of a turn
LEASE = 600  # seconds, more than a round lasts
POLLING_LEASE = 60  # seconds, as workers have it by default; those that poll renew it
RENEWERS = 20  # connections for the renewals
LONGEST_POLL = 30  # seconds
ENQUEUE = "select holdfast.enqueue('noop', '{\"n\": 0.0}'::json)"


class Turns(Protocol):
    async def turn(self) -> int:
        """Completes the jobs of the turn before and claims the next; how many it got."""


class Http:
    """One connection that is kept, with as little around it as can be: the server is what is measured."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    @asynccontextmanager
    async def connect(cls) -> AsyncIterator[Self]:
        address = urlsplit(os.environ[API])
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        try:
            yield cls(reader, writer)
        finally:
            writer.close()

    async def post(self, path: str, document: Any) -> Any:
        body = json.dumps(document).encode()
        head = f"POST /api/v1{path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {os.environ[KEY]}\r\n"
        self._writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        status, *fields = (await self._reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
        length = next(int(field[15:]) for field in fields if field.startswith("content-length:"))
        answer = json.loads(await self._reader.readexactly(length))
        if status.split()[1] not in ("200", "201"):
            raise RuntimeError(f"{path} was answered by {status}: {answer}")
        return answer

    async def register(self, lease: int = LEASE) -> str:
        worker: str = (await self.post("/workers", {"queues": ["default"], "lease": lease}))["worker"]
        return worker


class HttpTurns:
    def __init__(self, http: Http, worker: str) -> None:
        self._http, self._path = http, f"/workers/{worker}/claim"
        self._ends: list[dict[str, str]] = []

    async def turn(self) -> int:
        got = await self._http.post(self._path, {"limit": AT_ONCE, "ends": self._ends})
        self._ends = [{"id": job["id"], "token": job["token"], "verb": "complete"} for job in got["jobs"]]
        return len(self._ends)


class SqlTurns:
    def __init__(self, connection: "asyncpg.Connection[Any]", worker: WorkerId) -> None:
        self._connection, self._worker = connection, worker
        self._held: list[tuple[Any, Any]] = []

    async def turn(self) -> int:
        ids, tokens = [job for job, _ in self._held], [token for _, token in self._held]
        got = await settle_and_claim(self._connection, self._worker, AT_ONCE, ids, tokens, [DONE] * len(ids))
        self._held = [(job.id, job.token) for job in got.claimed]
        return len(self._held)


class HttpClient(Bulk):
    def __init__(self, app: Any, callers: list[Http]) -> None:
        super().__init__(app)
        self._callers = callers

    async def one(self, caller: int, sent: float) -> None:
        await self._callers[caller].post("/jobs", {"task": "noop", "payload": {"n": sent}})


class SqlClient(Bulk):
    def __init__(self, app: Any, callers: "list[asyncpg.Connection[Any]]") -> None:
        super().__init__(app)
        self._callers = callers

    async def one(self, caller: int, sent: float) -> None:
        await self._callers[caller].fetchval(ENQUEUE)


class ApiScript(HoldfastScript):
    @asynccontextmanager
    async def client(self, url: str, callers: int) -> AsyncIterator[Bulk]:
        async with AsyncExitStack() as stack:
            app = await stack.enter_async_context(application(url))
            if API in os.environ:
                wires = [await stack.enter_async_context(Http.connect()) for _ in range(callers)]
                yield HttpClient(app, wires)
            else:
                yield SqlClient(app, [await _connection(stack, url) for _ in range(callers)])

    async def command_key(self, url: str) -> dict[str, Any]:
        async with application(url) as app:
            return {"secret": (await app.keys.create("bench", "admin")).secret}

    async def command_turns(self, url: str, workers: float) -> dict[str, Any]:
        """Until no job is left."""
        async with AsyncExitStack() as stack:
            crew = [await _worker(stack, url) for _ in range(int(workers))]
            began = time.perf_counter()
            done = await asyncio.gather(*map(_until_empty, crew))
            return {"jobs": sum(done), "seconds": time.perf_counter() - began}

    async def command_polls(self, url: str, polls: float) -> dict[str, Any]:
        """Prints a line when all of them wait; until the standard input ends."""
        async with AsyncExitStack() as stack:
            wires = [await stack.enter_async_context(Http.connect()) for _ in range(int(polls))]
            beats = [await stack.enter_async_context(Http.connect()) for _ in range(RENEWERS)]
            names = [await wire.register(POLLING_LEASE) for wire in wires]
            waiting = asyncio.gather(*map(_poll, wires, names), *map(_renew, beats, _shares(names)))
            print(json.dumps({"ready": True}), flush=True)
            ended = asyncio.create_task(_input_ended())
            await asyncio.wait((waiting, ended), return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            with suppress(asyncio.CancelledError):
                await waiting
        return {}


async def _connection(stack: AsyncExitStack, url: str) -> "asyncpg.Connection[Any]":
    connection = await asyncpg.connect(url)
    stack.push_async_callback(connection.close)
    return connection


async def _worker(stack: AsyncExitStack, url: str) -> Turns:
    if API in os.environ:
        wire = await stack.enter_async_context(Http.connect())
        return HttpTurns(wire, await wire.register())
    connection, worker = await _connection(stack, url), WorkerId(uuid4())
    await register_worker(connection, worker, ["default"], {"lease": LEASE, "slots": AT_ONCE})
    return SqlTurns(connection, worker)


async def _until_empty(worker: Turns) -> int:
    """The last turn only settles."""
    done = 0
    while got := await worker.turn():
        done += got
    return done


async def _poll(wire: Http, worker: str) -> None:
    while True:
        await wire.post(f"/workers/{worker}/claim", {"limit": 1, "wait": LONGEST_POLL})


def _shares(workers: list[str]) -> list[list[str]]:
    return [workers[first::RENEWERS] for first in range(RENEWERS)]


async def _renew(wire: Http, workers: list[str]) -> None:
    """Each of them every third of its lease, evenly spaced: workers do not beat at once."""
    pause = POLLING_LEASE / 3 / max(len(workers), 1)
    await asyncio.sleep(random.uniform(0, pause))
    for worker in cycle(workers):
        await wire.post(f"/workers/{worker}/renew", {"jobs": []})
        await asyncio.sleep(pause)


async def _input_ended() -> None:
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(0))
    await reader.read()


if __name__ == "__main__":
    main(ApiScript())
