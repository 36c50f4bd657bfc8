"""The dashboard of an installation, in the test's own process: for a client, and for a real browser."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from httpx2 import ASGITransport, AsyncClient
from playwright.async_api import Browser, Page

from holdfast.api.app import api_app
from holdfast.api.limits.limits import Limits
from holdfast.client.app import Holdfast
from holdfast.dashboard.dashboard import add_dashboard
from tests.api.conftest import make_key
from tests.api.serving import served
from tests.dashboard.browser import a_browser
from tests.dashboard.busy import fill, keyless
from tests.database import fresh_database

__all__ = ["make_key"]

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """On one event loop, which the browser is bound to."""
    for item in items:
        if item.path.is_relative_to(HERE) and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(loop_scope="session")
async def app(database_url: str) -> AsyncIterator[Holdfast]:
    async with Holdfast(database_url, name="tests") as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="session")
async def busy(database_url: str) -> str:
    """A quarter of an hour of a busy day has passed; time stands still."""
    await fill(database_url, hours=0.25, rate=6)
    return database_url


@pytest_asyncio.fixture(loop_scope="session")
async def http(app: Holdfast) -> AsyncIterator[AsyncClient]:
    """Calls the pages from this machine, without an access key."""
    async with (
        keyless(app) as api,
        AsyncClient(transport=ASGITransport(app=api), base_url="http://localhost") as client,
    ):
        yield client


@pytest_asyncio.fixture(loop_scope="session")
async def keyed_http(app: Holdfast) -> AsyncIterator[AsyncClient]:
    """Calls the pages with the headers of `make_key`, as `holdfast serve` answers them."""
    api = api_app(app, limits=Limits(failed_log_ins=0), add_pages=add_dashboard)
    async with AsyncClient(transport=ASGITransport(app=api), base_url="http://localhost") as client:
        yield client


@pytest_asyncio.fixture(loop_scope="session")
async def address(app: Holdfast) -> AsyncIterator[str]:
    """Where a browser finds the pages, without an access key."""
    async with keyless(app) as api, served(api) as found:
        yield found


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """One for all tests of this process: to start it takes a second. Each test opens a context of its own and
    closes it before the server stops, which waits for open streams.
    """
    async with a_browser() as found:
        yield found


@pytest_asyncio.fixture(loop_scope="session")
async def tab(browser: Browser, address: str) -> AsyncIterator[Page]:
    """A tab of 1,024 pixels that knows the server's address: `await tab.goto("/jobs")`."""
    context = await browser.new_context(base_url=address, viewport={"width": 1024, "height": 900})
    yield await context.new_page()
    await context.close()


@dataclass(frozen=True, slots=True)
class World:
    """An installation at the end of a busy day, which tests only look at."""

    app: Holdfast
    address: str
    browser: Browser


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def world(server_url: str, template: str, browser: Browser) -> AsyncIterator[World]:
    """One for all tests of this process that only look: to play the day takes seconds."""
    async with fresh_database(server_url, template) as url:
        await fill(url, hours=0.25, rate=6)
        async with (
            Holdfast(url, name="tests") as app,
            keyless(app) as api,
            served(api) as address,
        ):
            yield World(app, address, browser)
