"""The API in the test's own process, with a client and access keys."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from httpx2 import ASGITransport, AsyncClient

from holdfast.api.app import api_app
from holdfast.client.app import Holdfast

Headers = dict[str, str]
MakeKey = Callable[..., Awaitable[Headers]]


@pytest.fixture
async def app(database_url: str) -> AsyncIterator[Holdfast]:
    async with Holdfast(database_url, name="tests") as opened:
        yield opened


@pytest.fixture
async def http(app: Holdfast) -> AsyncIterator[AsyncClient]:
    transport = ASGITransport(app=api_app(app))
    async with AsyncClient(transport=transport, base_url="http://api") as client:
        yield client


@pytest.fixture
def make_key(app: Holdfast) -> MakeKey:
    """Headers with a new key of this role; `queues` or `tasks` limit it."""

    async def make(role: str, queues: list[str] | None = None, tasks: list[str] | None = None) -> Headers:
        name = "-".join([role, *(queues or ()), *(tasks or ())])
        made = await app.keys.create(name, role, queues=queues, tasks=tasks)
        return {"Authorization": f"Bearer {made.secret}"}

    return make
