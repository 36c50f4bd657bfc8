"""Renewals of workers that hold no jobs: they share a statement, and none waits for another."""

import asyncio
from collections import Counter
from typing import Any

import pytest
from httpx2 import AsyncClient

from holdfast.api.request import access
from holdfast.api.workers import idle_renewals, register
from holdfast.client.app import Holdfast
from tests.api.conftest import Headers, MakeKey
from tests.api.http_worker import HttpWorker
from tests.patience import PATIENCE


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

    count(idle_renewals, "renew_idle_leases")
    count(register, "renew_lease")
    count(access, "check_access")
    return counted


async def a_crowd(http: AsyncClient, key: Headers, count: int) -> list[HttpWorker]:
    crowd = [HttpWorker(http, key) for _ in range(count)]
    for one in crowd:
        await one.register(queues=["mail"])
    return crowd


async def test_renewals_of_many_idle_workers_share_statements(
    http: AsyncClient, make_key: MakeKey, sent: Counter[str]
) -> None:
    crowd = await a_crowd(http, await make_key("worker"), 20)
    sent.clear()
    told = await asyncio.gather(*(one.renew(jobs=[]) for one in crowd), *(one.renew() for one in crowd))
    assert [(one["stop"], one["drain"], one["rescued"]) for one in told] == [([], False, False)] * 40
    assert all(one["lease_until"] for one in told)
    assert [*sent] == ["renew_idle_leases"]
    assert sent.total() < 10, "one, if none of them is late"


async def test_a_locked_row_delays_no_other_renewal(
    http: AsyncClient, app: Holdfast, make_key: MakeKey
) -> None:
    locked, other = await a_crowd(http, await make_key("worker"), 2)
    async with app.database.transaction() as conn:
        await conn.execute("select from holdfast.workers where id = $1 for update", locked.id)
        late = asyncio.create_task(locked.renew(jobs=[]))
        async with asyncio.timeout(PATIENCE):
            assert (await other.renew(jobs=[]))["rescued"] is False
        assert not late.done()
    assert (await late)["rescued"] is False


async def test_a_renewal_is_refused_as_soon_as_its_key_is(
    http: AsyncClient, app: Holdfast, make_key: MakeKey
) -> None:
    (mine,) = await a_crowd(http, await make_key("worker"), 1)
    (other,) = await a_crowd(http, await make_key("admin"), 1)
    await mine.renew()
    path = f"/workers/{mine.id}/renew"
    assert await other.refused(path) == (404, "not_found")
    await app.keys.revoke("worker")
    assert await mine.refused(path) == (401, "not_authenticated")
    assert await mine.refused(path, jobs=[mine.id]) == (401, "not_authenticated")
