"""Claims that wait: what wakes them, what they cost, and when the server stops."""

import asyncio
from collections import Counter
from typing import Any
from uuid import UUID

import pytest
from httpx2 import ASGITransport, AsyncClient

from holdfast.api.app import api_app
from holdfast.api.limits.limits import Limits
from holdfast.api.workers import claims, long_polls
from holdfast.client.app import Holdfast
from tests.api.conftest import Headers, MakeKey
from tests.api.http_worker import HttpWorker
from tests.builders import ready_jobs, state_of
from tests.patience import PATIENCE


@pytest.fixture
async def key(make_key: MakeKey) -> Headers:
    return await make_key("worker")


async def enqueue(app: Holdfast, count: int = 1) -> list[str]:
    async with app.database.transaction() as conn:
        return [str(job) for job in await ready_jobs(conn, count, queue="mail")]


async def eventually(app: Holdfast, query: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while not (await app.database.fetch(query))[0][0]:
            await asyncio.sleep(0.01)


LISTENING = "select count(*) from pg_stat_activity where application_name = 'holdfast long polls'"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each of the two statements was sent."""
    counted: Counter[str] = Counter()

    def count(place: Any, name: str) -> None:
        send = getattr(place, name)

        async def counting(*args: Any) -> Any:
            counted[name] += 1
            return await send(*args)

        monkeypatch.setattr(place, name, counting)

    count(claims, "settle_and_claim_known")
    count(long_polls, "workers_to_wake")
    return counted


async def test_workers_that_wait_cost_looks_and_no_claims_and_each_gets_its_job(
    app: Holdfast, http: AsyncClient, key: Headers, sent: Counter[str]
) -> None:
    crowd = [HttpWorker(http, key) for _ in range(30)]
    for one in crowd:
        await one.register(queues=["mail"])
    waiting = [asyncio.create_task(one.claim(wait=30)) for one in crowd]
    async with asyncio.timeout(PATIENCE):
        while sent["workers_to_wake"] < 3:
            await asyncio.sleep(0.01)
    assert sent["settle_and_claim_known"] == 30, "each asked once, then waits"
    assert app.database.size <= 4
    ids = await enqueue(app, 30)
    async with asyncio.timeout(PATIENCE):
        found = [job["id"] for claimed in await asyncio.gather(*waiting) for job in claimed]
    assert sorted(found) == sorted(ids)
    before = sent["settle_and_claim_known"]
    assert await crowd[0].claim(wait=0.1) == [], "it found something last: it asks at once"
    assert await crowd[0].claim(wait=0.1) == [], "it found nothing last: it waits for a look"
    assert sent["settle_and_claim_known"] == before + 1


async def test_claims_that_wait_are_answered_when_the_server_stops(app: Holdfast, key: Headers) -> None:
    stopping = asyncio.Event()
    transport = ASGITransport(app=api_app(app, is_stopping=stopping.is_set))
    async with AsyncClient(transport=transport, base_url="http://api") as http:
        worker = HttpWorker(http, key)
        await worker.register(queues=["mail"])
        waiting = asyncio.create_task(worker.turn(wait=30))
        await eventually(app, LISTENING)
        stopping.set()
        async with asyncio.timeout(PATIENCE / 2):
            assert (await waiting)["jobs"] == []


async def test_claims_that_wait_take_the_places_of_their_key(
    app: Holdfast, http: AsyncClient, key: Headers
) -> None:
    """Refused before it settles anything; without a wait it is answered."""
    worker = HttpWorker(http, key)
    await worker.register(queues=["mail"])
    (id_,) = await enqueue(app)
    (job,) = await worker.claim()
    transport = ASGITransport(app=api_app(app, limits=Limits(waiting_per_key=0)))
    async with AsyncClient(transport=transport, base_url="http://api") as limited:
        full = HttpWorker(limited, key)
        full.id = worker.id
        ends = [{"id": job["id"], "token": job["token"], "verb": "complete"}]
        refused = await full.refused(f"/workers/{worker.id}/claim", wait=30, ends=ends)
        assert refused == (429, "too_many_waiting")
        assert await full.claim() == []
    async with app.database.connection() as conn:
        assert await state_of(conn, UUID(id_)) == "running"
