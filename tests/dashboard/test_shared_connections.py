"""Values that pages share are read with the connections of the key whose request began the read."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import asyncpg
import pytest
import pytest_asyncio
from httpx2 import ASGITransport, AsyncClient

from holdfast.api.app import api_app
from holdfast.api.limits import key_connections
from holdfast.client.app import Holdfast
from holdfast.dashboard.dashboard import add_dashboard
from holdfast.dashboard.pages import dead
from tests.api.conftest import MakeKey
from tests.api.test_key_connections import BLOCKED, POOL, SHARE
from tests.builders import dead_job
from tests.patience import PATIENCE


@pytest_asyncio.fixture(loop_scope="session")
async def app(database_url: str) -> AsyncIterator[Holdfast]:
    """With the pool of `holdfast serve`."""
    async with Holdfast(database_url, name="tests", pool_size=POOL, pool_wait=PATIENCE) as opened:
        yield opened


async def test_a_key_that_asks_for_many_kept_values_leaves_connections_to_others(
    app: Holdfast, make_key: MakeKey, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_connections, "WAIT", timedelta(seconds=PATIENCE))
    greedy, other = await make_key("viewer"), await make_key("operator")
    api = api_app(app, add_pages=add_dashboard)
    holder, watcher = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    async with AsyncClient(transport=ASGITransport(app=api), base_url="http://localhost") as http:
        await holder.execute("begin; lock table holdfast.attempts in access exclusive mode")
        asked = [
            asyncio.create_task(http.get(f"/errors?text={number}", headers=greedy))
            for number in range(2 * POOL)
        ]
        async with asyncio.timeout(PATIENCE):
            while await watcher.fetchval(BLOCKED) < SHARE:
                await asyncio.sleep(0.01)
            for _ in range(3):
                assert (await http.get("/schedules", headers=other)).status_code == 200
        assert await watcher.fetchval(BLOCKED) == SHARE
        await holder.execute("commit")
        assert {(await one).status_code for one in asked} == {200}, "those that waited go on"
    for conn in (holder, watcher):
        await conn.close()


async def test_a_board_of_few_dead_letters_is_read_for_each_look_beside_one_of_many(
    http: AsyncClient, app: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dead, "MANY", 2)
    async with app.database.transaction() as conn:
        for queue in ("mail", "mail", "mail", "chat"):
            await dead_job(conn, queue=queue, task="send")
    assert "3 dead letters open." in (await http.get("/dead?queue=mail")).text
    assert "1 dead letter open." in (await http.get("/dead?queue=chat")).text
    async with app.database.transaction() as conn:
        for queue in ("mail", "chat"):
            await dead_job(conn, queue=queue, task="send")
    assert "2 dead letters open." in (await http.get("/dead?queue=chat")).text
    assert "3 dead letters open." in (await http.get("/dead?queue=mail")).text, "kept for a while"
