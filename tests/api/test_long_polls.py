"""Claims that wait: what wakes them, what they cost, and when the server stops."""

import asyncio
from collections import Counter
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from httpx2 import ASGITransport, AsyncClient

from holdfast.api.app import api_app
from holdfast.api.limits.limits import Limits
from holdfast.api.request import access
from holdfast.api.workers import claim_permits, claims, long_polls
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


LISTENING = """
select count(*) from pg_stat_activity
where application_name = 'holdfast long polls' and datname = current_database()
"""


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each of these statements was sent."""
    counted: Counter[str] = Counter()

    def count(place: Any, name: str) -> None:
        send = getattr(place, name)

        async def counting(*args: Any) -> Any:
            counted[name] += 1
            return await send(*args)

        monkeypatch.setattr(place, name, counting)

    count(claims, "settle_and_claim_known")
    count(long_polls, "workers_to_wake")
    count(access, "check_access")
    count(claim_permits, "check_claimants")
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


async def test_polls_that_begin_again_cost_no_checks_of_their_access_key(
    app: Holdfast, key: Headers, sent: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claim_permits, "CHECK_EVERY", timedelta(minutes=10))
    async with AsyncClient(transport=ASGITransport(app=api_app(app)), base_url="http://api") as http:
        crowd = [HttpWorker(http, key) for _ in range(10)]
        for one in crowd:
            await one.register(queues=["mail"])
        before, after = 0, -1
        async with asyncio.timeout(PATIENCE):
            while before != after:  # on a busy machine a claim may have used up its time, and not wait
                before = sent["check_access"] + sent["settle_and_claim_known"]
                assert await asyncio.gather(*(one.claim(wait=0.1) for one in crowd)) == [[]] * 10
                after = sent["check_access"] + sent["settle_and_claim_known"]
        await crowd[0].claim()
        assert sent["check_access"] + sent["settle_and_claim_known"] == after + 2, "one that does not wait"


async def test_a_claim_that_waits_is_refused_soon_after_its_key_was_revoked(
    app: Holdfast, key: Headers, make_key: MakeKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claim_permits, "CHECK_EVERY", timedelta(milliseconds=10))
    other = await make_key("admin")
    async with AsyncClient(transport=ASGITransport(app=api_app(app)), base_url="http://api") as http:
        mine, theirs = HttpWorker(http, key), HttpWorker(http, other)
        for one in (mine, theirs):
            await one.register(queues=["mail"])
        waiting = asyncio.create_task(mine.refused(f"/workers/{mine.id}/claim", wait=30))
        still = asyncio.create_task(theirs.claim(wait=30))
        await eventually(app, LISTENING)
        await app.keys.revoke("worker")
        async with asyncio.timeout(PATIENCE / 2):
            assert await waiting == (401, "not_authenticated")
        (id_,) = await enqueue(app)
        assert await mine.refused(f"/workers/{mine.id}/claim", wait=30) == (401, "not_authenticated")
        (job,) = await still
        assert job["id"] == id_


async def test_a_permit_to_wait_is_good_for_no_other_key_worker_or_request(
    app: Holdfast, http: AsyncClient, key: Headers, make_key: MakeKey
) -> None:
    worker, other = HttpWorker(http, key), HttpWorker(http, await make_key("admin"))
    await worker.register(queues=["mail"])
    await worker.claim(wait=0.01)
    other.id = worker.id
    path = f"/workers/{worker.id}/claim"
    assert await other.refused(path, wait=0.01) == (404, "not_found")
    await app.keys.revoke("worker")
    assert await worker.refused(path) == (401, "not_authenticated")
    ends = [{"id": worker.id, "token": worker.id, "verb": "complete"}]
    assert await worker.refused(path, wait=0.01, ends=ends) == (401, "not_authenticated")
    await enqueue(app)
    assert await worker.refused(path, wait=30) == (401, "not_authenticated")


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
