"""Two replicas of the HTTP API, one of them killed again and again while producers and workers call it."""

import asyncio
import random
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest
from httpx2 import AsyncClient, HTTPError

from holdfast.client.app import Holdfast
from holdfast.db.invariants import check_invariants
from tests.cli.command import environment
from tests.patience import PATIENCE

pytestmark = [pytest.mark.alone, pytest.mark.slow]

SERVE = [sys.executable, "-m", "holdfast", "serve"]
JOBS, PRODUCERS, WORKERS, KILLS = 400, 4, 4, 3
ENDED = "select count(*) from holdfast.history"
SOON_DONE = PATIENCE * 4


class Replica:
    """One process that serves; it keeps its port when it is killed and started again."""

    def __init__(self, database_url: str) -> None:
        self._database_url, self._port = database_url, 0
        self.start()

    def start(self) -> None:
        given = [*SERVE, "--port", str(self._port)]
        self._process = subprocess.Popen(
            given, env=environment(self._database_url), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        self._port = int(self.url.rpartition(":")[2])

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


class Client:
    """Sends each request until a replica has answered it: a killed one may have done the work."""

    def __init__(self, http: AsyncClient, replicas: list[Replica]) -> None:
        self._http, self._replicas = http, replicas

    async def post(self, path: str, body: dict[str, Any], **headers: str) -> Any:
        while True:
            url = f"{random.choice(self._replicas).url}/api/v1{path}"
            try:
                answered = await self._http.post(url, json=body, headers=headers)
            except HTTPError:
                continue
            assert answered.status_code < 300, answered.text
            return answered.json()


async def test_a_replica_killed_mid_request_loses_and_doubles_nothing(database_url: str) -> None:
    async with Holdfast(database_url) as app, replicas_and_client(app, database_url) as (replicas, client):
        producing = [asyncio.create_task(produce(client, one)) for one in range(PRODUCERS)]
        working = [asyncio.create_task(work(client)) for _ in range(WORKERS)]
        async with asyncio.timeout(SOON_DONE):
            for kill in range(1, KILLS + 1):
                while await ended(app) < kill * JOBS // (KILLS + 1):
                    await asyncio.sleep(0.01)
                await asyncio.to_thread(replicas[0].kill)
                await asyncio.to_thread(replicas[0].start)
            await asyncio.gather(*producing)
            known = await asyncio.gather(*working)
            known.append(await work(client))  # what a lost answer had claimed, and its worker gave back
        rows = await app.database.fetch("select state, output::text from holdfast.history")
        assert sorted(int(row["output"]) for row in rows) == list(range(JOBS))
        assert {row["state"] for row in rows} == {"completed"}
        assert sum(known) == JOBS, "each end was answered once as new or repeated"
        assert await app.database.fetch("select from holdfast.jobs") == []
        assert await check_invariants(app.database) == []


async def produce(client: Client, one: int) -> None:
    for n in range(one, JOBS, PRODUCERS):
        job = {"task": "double", "payload": n, "queue": "mail"}
        await client.post("/jobs", job, **{"Idempotency-Key": f"job-{n}"})


async def work(client: Client) -> int:
    """Until it finds nothing more; how many jobs it completed."""
    worker = (await client.post("/workers", {"queues": ["mail"]}))["worker"]
    done, empty = 0, 0
    while empty < 2:
        jobs = (await client.post(f"/workers/{worker}/claim", {"limit": 3, "wait": 1}))["jobs"]
        empty = 0 if jobs else empty + 1
        for job in jobs:
            await client.post(
                f"/jobs/{job['id']}/complete", {"token": job["token"], "output": job["payload"]}
            )
            done += 1
    await client.post(f"/workers/{worker}/stop", {})
    return done


async def ended(app: Holdfast) -> int:
    return int((await app.database.fetch(ENDED))[0][0])


@asynccontextmanager
async def replicas_and_client(
    app: Holdfast, database_url: str
) -> AsyncIterator[tuple[list[Replica], Client]]:
    made = await app.keys.create("all", "worker")
    headers = {"Authorization": f"Bearer {made.secret}"}
    with replicas(database_url) as started:
        async with AsyncClient(headers=headers, timeout=PATIENCE) as http:
            yield started, Client(http, started)


@contextmanager
def replicas(database_url: str) -> Iterator[list[Replica]]:
    started: list[Replica] = []
    try:
        started += [Replica(database_url), Replica(database_url)]
        yield started
    finally:
        for one in started:
            one.kill()
