"""Statements of one key that wait for a row lock leave connections to the requests of other keys."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import asyncpg
import pytest
from httpx2 import ASGITransport, AsyncClient, Response

from holdfast.api.app import api_app
from holdfast.api.limits import key_connections
from holdfast.api.limits.limits import Limits
from holdfast.client.app import Holdfast
from holdfast.db.access_keys import open_session
from holdfast.db.connect import Connection
from holdfast.model.access_key import hash_secret
from tests.api.conftest import Headers, MakeKey
from tests.patience import PATIENCE

POOL, SHARE = 10, 5
PAUSE = "/api/v1/queues/mail/pause"
BLOCKED = """
select count(*) from pg_stat_activity
where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0
"""


@pytest.fixture
async def app(database_url: str) -> AsyncIterator[Holdfast]:
    """With the pool of `holdfast serve`."""
    async with Holdfast(database_url, name="tests", pool_size=POOL, pool_wait=PATIENCE) as opened:
        yield opened


class Lock:
    """The row of a queue, locked by a connection outside of the pool; another one sees how many wait."""

    def __init__(self, holder: Connection, watcher: Connection) -> None:
        self._holder, self._watcher = holder, watcher

    async def take(self) -> None:
        await self._holder.execute("begin; select from holdfast.queues where name = 'mail' for update")

    async def release(self) -> None:
        await self._holder.execute("commit")

    async def waiting(self) -> int:
        return int(await self._watcher.fetchval(BLOCKED))

    async def until_waiting(self, count: int) -> None:
        async with asyncio.timeout(PATIENCE):
            while await self.waiting() < count:
                await asyncio.sleep(0.01)


@pytest.fixture
async def lock(app: Holdfast, database_url: str) -> AsyncIterator[Lock]:
    await app.settings.set_queue("mail", reason="for the test", timeout="2m")
    holder, watcher = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    lock = Lock(holder, watcher)
    await lock.take()
    yield lock
    for conn in (holder, watcher):
        await conn.close()


async def pausing(http: AsyncClient, key: Headers, count: int) -> "list[asyncio.Task[Response]]":
    body = {"reason": "lunch"}
    return [asyncio.create_task(http.post(PAUSE, json=body, headers=key)) for _ in range(count)]


async def test_a_key_whose_requests_wait_for_a_lock_takes_half_of_the_connections(
    app: Holdfast, make_key: MakeKey, lock: Lock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_connections, "WAIT", timedelta(seconds=PATIENCE))
    stuck, other = await make_key("operator"), await make_key("viewer")
    async with AsyncClient(transport=ASGITransport(app=api_app(app)), base_url="http://api") as http:
        first = await pausing(http, stuck, 2 * POOL)
        await lock.until_waiting(SHARE)
        for _ in range(3):
            assert (await http.get("/api/v1/jobs", headers=other)).status_code == 200
        assert await lock.waiting() == SHARE
        await lock.release()
        assert {(await one).status_code for one in first} == {200}, "those that waited go on"


async def test_what_waits_too_long_for_its_turn_is_told_to_come_back(
    app: Holdfast,
    make_key: MakeKey,
    lock: Lock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(key_connections, "WAIT", timedelta(milliseconds=10))
    stuck = await make_key("operator")
    async with AsyncClient(transport=ASGITransport(app=api_app(app)), base_url="http://api") as http:
        first = await pausing(http, stuck, SHARE)
        await lock.until_waiting(SHARE)
        refused = await http.get("/api/v1/jobs", headers=stuck)
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_at_once")
        assert refused.headers["Retry-After"] == "5"
        await lock.release()
        assert {(await one).status_code for one in first} == {200}
        assert (await http.get("/api/v1/jobs", headers=stuck)).status_code == 200, "its places are free again"


async def test_sessions_of_a_key_have_its_share_together(
    app: Holdfast, lock: Lock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_connections, "WAIT", timedelta(milliseconds=10))
    made = await app.keys.create("ops", "admin")
    async with AsyncClient(transport=ASGITransport(app=api_app(app)), base_url="http://api") as http:
        first = await pausing(http, {"Authorization": f"Bearer {made.secret}"}, SHARE)
        await lock.until_waiting(SHARE)
        await open_session(app.database, hash_secret(made.secret), hash_secret("s"), timedelta(hours=1))
        refused = await http.get("/api/v1/jobs", headers={"Cookie": "holdfast_session=s"})
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_at_once")
        await lock.release()
        assert {(await one).status_code for one in first} == {200}


async def test_a_body_that_arrives_slowly_takes_no_connection(app: Holdfast, make_key: MakeKey) -> None:
    key, go, begun = await make_key("operator"), asyncio.Event(), asyncio.Semaphore(0)

    async def slow() -> AsyncIterator[bytes]:
        yield b'{"task": '
        begun.release()
        await go.wait()
        yield b'"t"}'

    api = api_app(app, limits=Limits())
    async with AsyncClient(transport=ASGITransport(app=api), base_url="http://api") as http:
        first = []
        for _ in range(2 * POOL):
            first.append(asyncio.create_task(http.post("/api/v1/jobs", content=slow(), headers=key)))
            await begun.acquire()
        assert (await http.get("/api/v1/jobs", headers=key)).status_code == 200
        go.set()
        assert {(await one).status_code for one in first} == {201}
