"""The API in the test's own process, with a client and access keys."""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
from fastapi import FastAPI
from httpx2 import ASGITransport, AsyncClient

from holdfast.api.app import api_app
from holdfast.api.limits.limits import Limits
from holdfast.api.live import permits, streams, subjects
from holdfast.client.app import Holdfast
from tests.api.documented import HOOKS
from tests.api.people import Caller

Headers = dict[str, str]
MakeKey = Callable[..., Awaitable[Headers]]


@pytest.fixture
async def app(database_url: str) -> AsyncIterator[Holdfast]:
    async with Holdfast(database_url, name="tests") as opened:
        yield opened


@pytest.fixture
async def http(app: Holdfast) -> AsyncIterator[AsyncClient]:
    """Each of its answers must be as the OpenAPI document says."""
    # Without a limit of failed log-ins: tests with wrong keys would reach it, depending on their speed.
    transport = ASGITransport(app=api_app(app, limits=Limits(failed_log_ins=0)))
    async with AsyncClient(transport=transport, base_url="http://api", event_hooks=HOOKS) as client:
        yield client


@pytest.fixture
def make_key(app: Holdfast) -> MakeKey:
    """Headers with a new key of this role; `queues` or `tasks` limit it."""

    async def make(role: str, queues: list[str] | None = None, tasks: list[str] | None = None) -> Headers:
        name = "-".join([role, *(queues or ()), *(tasks or ())])
        made = await app.keys.create(name, role, queues=queues, tasks=tasks)
        return {"Authorization": f"Bearer {made.secret}"}

    return make


@pytest.fixture
def live_api(app: Holdfast, monkeypatch: pytest.MonkeyPatch) -> FastAPI:
    """Reads and checks access a hundred times a second, so that no test has to wait."""
    monkeypatch.setattr(streams, "PACE", timedelta(milliseconds=10))
    monkeypatch.setattr(permits, "CHECK_EVERY", timedelta(milliseconds=10))
    return api_app(app)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often live streams read what."""
    counted: Counter[str] = Counter()

    def counting(module: Any, name: str) -> None:
        real = getattr(module, name)

        async def read(*args: Any, **more: Any) -> Any:
            counted[name] += 1
            return await real(*args, **more)

        monkeypatch.setattr(module, name, read)

    for name in ("read_overview", "run_progress", "job_outlines", "list_endpoints"):
        counting(subjects, name)
    counting(permits, "check_watchers")
    return counted


@pytest.fixture
async def people(http: AsyncClient, make_key: MakeKey) -> Caller:
    """With the key `operator`."""
    return Caller(http, await make_key("operator"))
