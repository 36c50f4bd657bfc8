"""Replicas of `holdfast serve`, and workers that speak only HTTP to them: killed and started again."""

import asyncio
import json
import random
import signal
import socket
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path
from urllib.request import urlopen

from chaos.http_api import TIMEOUT, Replicas
from holdfast import DatabaseUnavailable, Holdfast, HoldfastError
from holdfast.testing.supervisor import Supervisor

COUNT = 2  # of the replicas, and of the workers
SERVE = ("holdfast", "serve", "--grace", "3s")
STARTED_WITHIN = timedelta(minutes=1)  # a fault before that would prove nothing
HTTP_WORKER = ("chaos.http_worker",)


class ApiProcesses:
    """`exited`: sentences about those that exited by themselves and had to stay."""

    def __init__(
        self, servers: Supervisor, workers: Supervisor, replicas: Replicas, databases: Sequence[str]
    ) -> None:
        self._servers, self._workers = servers, workers
        self.replicas = replicas
        self._databases = databases
        self._place_of: dict[int, int] = {}
        self.exited: list[str] = []

    def start(self) -> None:
        for place in range(len(self._databases)):
            self._start_server(place)
            self._workers.start()

    def kill_server(self, rng: random.Random) -> bool:
        """And start its successor, at the same port. False if it had exited before."""
        pid = self._servers.kill(rng.choice(self._servers.pids))
        self._start_server(self._place_of[pid])
        return self._servers.exit_codes[pid] == -signal.SIGKILL

    def kill_worker(self, rng: random.Random) -> bool:
        pid = self._workers.kill(rng.choice(self._workers.pids))
        self._workers.start()
        return self._workers.exit_codes[pid] == -signal.SIGKILL

    def restart_exited(self) -> None:
        """A server that finds no database when it starts exits with an error; nothing else may."""
        for pid, code in self._servers.take_exited().items():
            if code != DatabaseUnavailable.exit_code:
                self.exited.append(f"the server {pid} exited by itself with code {code}")
            self._start_server(self._place_of[pid])
        for pid, code in self._workers.take_exited().items():
            self.exited.append(f"the HTTP worker {pid} exited by itself with code {code}")
            self._workers.start()

    async def unready(self, within: timedelta) -> list[str]:
        """A sentence for each replica that is not ready by then."""
        left, end = set(self.replicas.urls), time.monotonic() + within.total_seconds()
        while left and time.monotonic() < end:
            self.restart_exited()
            left -= {url for url in left if await asyncio.to_thread(_is_ready, url)}
            await asyncio.sleep(0.1)
        return [
            f"the server at {url} is not ready after {within.total_seconds():g} s" for url in sorted(left)
        ]

    def _start_server(self, place: int) -> None:
        port = self.replicas.urls[place].rpartition(":")[2]
        variables = {"HOLDFAST_DATABASE_URL": self._databases[place]}
        self._place_of[self._servers.start("--port", port, environment=variables).pid] = place


@asynccontextmanager
async def api_processes(
    url: str, databases: Sequence[str], logs: Path, cwd: Path
) -> AsyncIterator[ApiProcesses]:
    """`url`: of the database, past the proxies. `databases`: through the proxy of each replica."""
    async with Holdfast(url, name="chaos") as app:
        secret = (await app.keys.create("chaos", "admin")).secret
    replicas = Replicas([f"http://127.0.0.1:{port}" for port in _free_ports(len(databases))], secret)
    async with AsyncExitStack() as stack:
        servers = Supervisor(SERVE, {}, _made(logs / "servers"), cwd=cwd)
        workers = Supervisor(HTTP_WORKER, replicas.environment, _made(logs / "http-workers"), cwd=cwd)
        for one in (servers, workers):
            await stack.enter_async_context(one)
        made = ApiProcesses(servers, workers, replicas, databases)
        made.start()
        if unready := await made.unready(STARTED_WITHIN):
            raise HoldfastError("; ".join(unready), f"look at the logs in {logs}")
        yield made


def _made(directory: Path) -> Path:
    directory.mkdir(parents=True)
    return directory


def _free_ports(count: int) -> list[int]:
    """A successor takes its predecessor's port, so the system cannot choose it."""
    with ExitStack() as stack:
        taken = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [one.getsockname()[1] for one in taken]


def _is_ready(url: str) -> bool:
    with suppress(OSError, ValueError), urlopen(f"{url}/readyz", timeout=TIMEOUT) as answer:
        return bool(json.load(answer)["status"] == "ok")
    return False
